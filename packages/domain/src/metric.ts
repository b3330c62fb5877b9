import type { Unit } from './quantity.js';

export interface MetricFacts {
  readonly unit: Unit;
  /** How one day's value comes from its parts. */
  readonly statistic: 'sum' | 'mean' | 'min' | 'max' | 'last';
  /** Outside: kept and marked `implausible`. */
  readonly soft: readonly [number, number];
  /** Outside: refused as drift, the old value stays. */
  readonly hard: readonly [number, number];
  /** Decimal places that count as a change. Without rounding, unit conversion makes endless changes. */
  readonly decimals: number;
  readonly loinc: string | undefined;
}

/** Daily totals. Ranges and codes: contract §2.1. A daily total is never the sum of a series that we happen to hold. */
export const dailyMetrics = {
  steps: { unit: '{steps}', statistic: 'sum', soft: [0, 60_000], hard: [0, 200_000], decimals: 0, loinc: '41950-7' },
  distance: { unit: 'm', statistic: 'sum', soft: [0, 80_000], hard: [0, 400_000], decimals: 1, loinc: '103208-5' },
  active_energy: { unit: 'kcal', statistic: 'sum', soft: [0, 4_000], hard: [0, 15_000], decimals: 1, loinc: '93819-1' },
  total_energy: { unit: 'kcal', statistic: 'sum', soft: [1_000, 6_000], hard: [0, 20_000], decimals: 1, loinc: '41979-6' },
} as const satisfies Record<string, MetricFacts>;

export type DailyMetric = keyof typeof dailyMetrics;

export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round((value + Number.EPSILON) * factor) / factor;
}
