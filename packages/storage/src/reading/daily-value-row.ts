import { type ShownDatum, shownDatum } from './shown-datum.js';

export interface DailyValueRow extends ShownDatum {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly implausible: boolean;
}

export const dailyColumns = `${shownDatum}, metric, value, unit, implausible`;
