import { addDays } from '@tributary/domain';

/** One document that a demo person has at a provider: its collection, its id there, and the fields that are not left to the stand-in. */
export interface DemoDocument {
  readonly collection: string;
  readonly id: string;
  readonly document: Readonly<Record<string, unknown>>;
}

const DAYS = 14;

/** Days before today, the newest first. */
const daysBefore = (today: string) => Array.from({ length: DAYS }, (_, ago) => ({ ago, day: addDays(today, -ago) }));

function ouraDays(subjectId: string, today: string): DemoDocument[] {
  return daysBefore(today).flatMap(({ ago, day }) => {
    const steps = 4_200 + ((ago * 1_733) % 6_900);
    const active = Math.round(steps / 22);
    const activity = {
      day,
      steps,
      active_calories: active,
      total_calories: 1_800 + active,
      equivalent_walking_distance: Math.round(steps * 0.8),
    };
    return [
      { collection: 'daily_activity', id: `${subjectId}-${day}`, document: activity },
      { collection: 'sleep', id: `${subjectId}-night-${day}`, document: { day, lowest_heart_rate: 48 + (ago % 7) } },
    ];
  });
}

function stravaDays(subjectId: string, today: string): DemoDocument[] {
  return daysBefore(today)
    .filter(({ ago }) => ago % 2 === 1)
    .map(({ ago, day }) => ({
      collection: 'activity',
      id: `${subjectId.slice(0, 8)}${day.replaceAll('-', '').slice(2)}`,
      document: {
        start_date: `${day}T16:10:00Z`,
        distance: 4_000 + ago * 310,
        moving_time: 1_400 + ago * 110,
        elapsed_time: 1_500 + ago * 110,
      },
    }));
}

/** What a person has at each provider that demo connections are made at. */
export const demoDocuments: Readonly<Record<string, (subjectId: string, today: string) => DemoDocument[]>> = {
  oura: ouraDays,
  strava: stravaDays,
};
