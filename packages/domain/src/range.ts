import type { MetricFacts } from './metric.js';

export type Range = 'plausible' | 'implausible' | 'impossible';

/** `implausible`: kept and marked. `impossible`: refused, the old value stays. Bounds are inside. */
export function rangeOf({ soft, hard }: Pick<MetricFacts, 'soft' | 'hard'>, value: number): Range {
  if (!(value >= hard[0] && value <= hard[1])) return 'impossible';
  return value >= soft[0] && value <= soft[1] ? 'plausible' : 'implausible';
}
