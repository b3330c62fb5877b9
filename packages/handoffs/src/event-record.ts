import { type DailyMetric, type SleepDetail, dailyMetrics } from '@tributary/domain';
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
