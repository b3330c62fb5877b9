import type { Dated } from './record.js';
import type { Environment, Sport } from './sport.js';

/** A value that the provider did not measure is null, never 0. */
export interface WorkoutDetail {
  readonly sport: Sport;
  readonly subSport: string | null;
  readonly environment: Environment | null;
  /** The provider's own word, letter by letter. */
  readonly providerSport: string;
  readonly elapsedS: number | null;
  readonly activeS: number | null;
  readonly distanceM: number | null;
  readonly elevationGainM: number | null;
  readonly activeEnergyKcal: number | null;
  readonly totalEnergyKcal: number | null;
  /** Mechanical work at the pedals; not what the body burnt. */
  readonly workKj: number | null;
  readonly hrAvg: number | null;
  readonly hrMax: number | null;
  /** Seconds in each zone, lowest first, as the provider cuts them. */
  readonly hrZonesS: readonly number[] | null;
  readonly powerAvgW: number | null;
  /** Steps, revolutions or strokes a minute, by sport. */
  readonly cadenceAvg: number | null;
  readonly steps: number | null;
  /** A person typed it in. */
  readonly manual: boolean;
  readonly hasRoute: boolean;
  readonly hasStreams: boolean;
}

/** `localDate` is the day of the start and an attribute, so a workout can move. */
export interface WorkoutRecord extends Dated {
  readonly kind: 'workout';
  /** RFC 3339 UTC. */
  readonly start: string;
  readonly end: string;
  readonly endUtcOffsetS: number | undefined;
  readonly detail: WorkoutDetail;
}
