import { type BloodPressure, type DailyMetric, type SleepDetail, type WorkoutDetail, dailyMetrics } from '@tributary/domain';
import type { EventRecord } from './outbound-to-receiver.js';

/** What stands under `record` of a daily value, in events and in answers of the API alike. */
export function dailyEventRecord({
  metric,
  value,
  implausible,
}: {
  metric: DailyMetric;
  value: number;
  implausible: boolean;
}): EventRecord<'daily.updated'> {
  const { unit, statistic } = dailyMetrics[metric];
  return { value, unit, statistic, implausible };
}

/** What stands under `record` of a night. Names the fields one by one: a stored detail may hold more than customers are shown. */
export function sleepEventRecord(detail: SleepDetail): EventRecord<'sleep.updated'> {
  return {
    isMain: detail.isMain,
    isNap: detail.isNap,
    inBedS: detail.inBedS,
    asleepS: detail.asleepS,
    awakeS: detail.awakeS,
    lightS: detail.lightS,
    deepS: detail.deepS,
    remS: detail.remS,
    latencyS: detail.latencyS,
    efficiencyPct: detail.efficiencyPct,
    hrAvg: detail.hrAvg,
    hrMin: detail.hrMin,
    hrvRmssd: detail.hrvRmssd,
    respiratoryRate: detail.respiratoryRate,
    stages: detail.stages.map(({ start, end, stage }) => ({ start, end, stage })),
  };
}

/** What stands under `record` of a workout. */
export function workoutEventRecord(detail: WorkoutDetail, implausible: boolean): EventRecord<'workout.updated'> {
  return {
    sport: detail.sport,
    subSport: detail.subSport,
    environment: detail.environment,
    providerSport: detail.providerSport,
    elapsedS: detail.elapsedS,
    activeS: detail.activeS,
    distanceM: detail.distanceM,
    elevationGainM: detail.elevationGainM,
    activeEnergyKcal: detail.activeEnergyKcal,
    totalEnergyKcal: detail.totalEnergyKcal,
    workKj: detail.workKj,
    hrAvg: detail.hrAvg,
    hrMax: detail.hrMax,
    hrZonesS: detail.hrZonesS === null ? null : [...detail.hrZonesS],
    powerAvgW: detail.powerAvgW,
    cadenceAvg: detail.cadenceAvg,
    steps: detail.steps,
    manual: detail.manual,
    hasRoute: detail.hasRoute,
    hasStreams: detail.hasStreams,
    implausible,
  };
}

/** A measurement as it is stored. */
export interface MeasurementContent {
  readonly value: number | null | undefined;
  readonly parts: BloodPressure | null | undefined;
  readonly unit: string;
  readonly manual: boolean;
  readonly ambiguous: boolean;
  readonly undated: boolean;
  readonly implausible: boolean;
}

/** What stands under `record` of a measurement. */
export function measurementEventRecord(content: MeasurementContent): EventRecord<'measurement.updated'> {
  const { value, parts, unit, manual, ambiguous, undated, implausible } = content;
  const { systolic, diastolic, pulse } = parts ?? {};
  return {
    value: value ?? null,
    parts: systolic === undefined || diastolic === undefined ? null : { systolic, diastolic, pulse: pulse ?? null },
    unit,
    manual,
    ambiguous,
    undated,
    implausible,
  };
}
