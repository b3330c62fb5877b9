/** Daily values that the adapter makes of one such activity. */
export const ACTIVITY_VALUES = 4;

/** A daily activity of Oura's shape, which makes four values; only what a test is about need be given. */
export function activityDocument(values: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'act-1',
    day: '2026-09-14',
    timestamp: '2026-09-14T04:00:00+02:00',
    steps: 11_342,
    active_calories: 521,
    equivalent_walking_distance: 9_210,
    score: 82,
    ...values,
  };
}

/** A night of Oura's shape. */
export function sleepDocument(values: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'night-1',
    day: '2026-09-15',
    type: 'long_sleep',
    bedtime_start: '2026-09-14T23:10:30+02:00',
    bedtime_end: '2026-09-15T06:41:30+02:00',
    time_in_bed: 27_060,
    total_sleep_duration: 25_080,
    awake_time: 1_980,
    light_sleep_duration: 14_040,
    deep_sleep_duration: 4_860,
    rem_sleep_duration: 6_180,
    latency: 540,
    average_heart_rate: 54.375,
    lowest_heart_rate: 49,
    average_hrv: 48,
    average_breath: 14.125,
    sleep_phase_5_min: '4221112333',
    ...values,
  };
}
