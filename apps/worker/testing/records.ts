import type { Dated, FetchOutcome, HealthRecord, MeasurementRecord, SeriesRecord, WorkoutRecord } from '@tributary/domain';
import { type Provider, providers } from '@tributary/providers';
import type { Workbench } from './workbench.js';

const dated: Dated = {
  providerRecordId: 'doc',
  source: { id: 'src_watch', type: 'watch', manufacturer: 'Acme', model: 'One' },
  localDate: '2026-09-14',
  dateBasis: 'record_offset',
  dayModel: 'civil',
  utcOffsetS: 7_200,
  provisional: false,
  version: undefined,
};

export function workoutRecord(changes: Partial<WorkoutRecord> = {}): WorkoutRecord {
  return {
    ...dated,
    kind: 'workout',
    providerRecordId: 'ride-1',
    start: '2026-09-14T06:00:00.000Z',
    end: '2026-09-14T07:30:00.000Z',
    endUtcOffsetS: 7_200,
    detail: {
      sport: 'cycling',
      subSport: 'gravel',
      environment: 'outdoor',
      providerSport: 'GravelRide',
      elapsedS: 5_400,
      activeS: 5_100,
      distanceM: 31_250.5,
      elevationGainM: 410,
      activeEnergyKcal: null,
      totalEnergyKcal: 812,
      workKj: 760,
      hrAvg: 141,
      hrMax: 172,
      hrZonesS: [600, 2_400, 2_100],
      powerAvgW: 149,
      cadenceAvg: null,
      steps: null,
      manual: false,
      hasRoute: true,
      hasStreams: true,
    },
    ...changes,
  };
}

export function weightRecord(
  value: number,
  changes: Partial<Dated & { recordId: string; instant: string; undated: true }> = {},
): MeasurementRecord {
  return {
    ...dated,
    kind: 'measurement',
    metric: 'body_weight',
    providerRecordId: 'group-1',
    recordId: 'group-1',
    instant: '2026-09-14T05:31:00.000Z',
    value,
    manual: false,
    ambiguous: false,
    ...changes,
  };
}

export function pressureRecord(systolic: number, diastolic: number): MeasurementRecord {
  const { value: _, ...measured } = weightRecord(0) as Extract<MeasurementRecord, { value: number }>;
  return { ...measured, metric: 'blood_pressure', parts: { systolic, diastolic, pulse: 61 } };
}

/** One sample each minute from midnight. */
export function heartRecord(values: readonly number[], changes: Partial<SeriesRecord> = {}): SeriesRecord {
  return {
    ...dated,
    kind: 'series',
    metric: 'heart_rate',
    providerRecordId: 'hr-2026-09-14',
    workoutId: undefined,
    samples: { from: '2026-09-13T22:00:00.000Z', offsetsS: values.map((_, index) => index * 60), values, intervalS: undefined },
    ...changes,
  };
}

/** The worker's context with a provider whose reads show exactly these records. */
export function showing(bench: Workbench, ...records: readonly HealthRecord[]) {
  return answering(bench, { is: 'records', complete: true, records });
}

export function answering(bench: Workbench, outcome: FetchOutcome) {
  const provider: Provider = { ...(providers.find(({ id }) => id === 'oura') as Provider), fetchRecords: () => Promise.resolve(outcome) };
  return bench.contextWith({ providers: new Map([[provider.id, provider]]) });
}
