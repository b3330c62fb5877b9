import { type DailyMetric, dailyMetrics } from './metric.js';

/** `implausible`: kept and marked. `impossible`: refused, the old value stays. Bounds are inside. */
export function rangeOf(metric: DailyMetric, value: number): 'plausible' | 'implausible' | 'impossible' {
  const { soft, hard } = dailyMetrics[metric];
  if (!(value >= hard[0] && value <= hard[1])) return 'impossible';
  return value >= soft[0] && value <= soft[1] ? 'plausible' : 'implausible';
}
