import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '@tributary/service-shell';
import { type App, World } from '../world.js';

export const permissions = ['ACTIVITY_EXPORT', 'HEALTH_EXPORT', 'HISTORICAL_DATA_EXPORT'] as const;

/** Which permission shows which summaries. */
export const permissionOf: Readonly<Record<string, (typeof permissions)[number]>> = {
  dailies: 'HEALTH_EXPORT',
  sleeps: 'HEALTH_EXPORT',
  userMetrics: 'HEALTH_EXPORT',
  bodyComps: 'HEALTH_EXPORT',
  bloodPressures: 'HEALTH_EXPORT',
  hrv: 'HEALTH_EXPORT',
  pulseox: 'HEALTH_EXPORT',
  skinTemp: 'HEALTH_EXPORT',
  epochs: 'HEALTH_EXPORT',
  allDayRespiration: 'HEALTH_EXPORT',
  stressDetails: 'HEALTH_EXPORT',
  activities: 'ACTIVITY_EXPORT',
};

export const typeNames = Object.keys(permissionOf) as [string, ...string[]];

export type Summary = Readonly<Record<string, unknown>>;

export interface GarminApp extends App {
  /** Typed into the portal; without one nothing is sent. */
  callbackUrl: string | null;
  /** What the portal is set to for all types. */
  readonly sends: 'ping' | 'push';
  /** Reads want the key of a ping, as at the real one. */
  readonly pullTokens: boolean;
}

/** What somebody asked for of the past: times of the summaries, seconds since 1970, `toS` outside. */
interface HistoryAsked {
  readonly subjectId: string;
  readonly clientId: string;
  readonly type: string;
  readonly fromS: number;
  readonly toS: number;
}

/** How long the key of a ping is good. */
const PULL_TOKEN_S = 86_400;

/** What a watch uploaded, as it was then. */
export interface Upload {
  readonly subjectId: string;
  readonly type: string;
  /** Whole seconds since 1970. */
  readonly atS: number;
  readonly summary: Summary;
}

export class GarminWorld extends World<GarminApp, Summary> {
  #uploads: Upload[] = [];
  readonly #secret = randomBytes(16);
  #asked: HistoryAsked[] = [];

  constructor(now: Clock) {
    super(now, typeNames);
  }

  upload(upload: Upload): void {
    this.#uploads.push(upload);
  }

  lastUpload(subjectId: string, type: string, summaryId: string): Upload | undefined {
    return this.#uploads.findLast((one) => one.subjectId === subjectId && one.type === type && one.summary['summaryId'] === summaryId);
  }

  /** The key to what was uploaded in one second; the same for every repeat of its ping. */
  pullToken({ subjectId, type, atS }: Pick<Upload, 'subjectId' | 'type' | 'atS'>): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([subjectId, type, atS]))
      .digest('base64');
  }

  honours(token: string | null, { subjectId, type, atS }: Pick<Upload, 'subjectId' | 'type' | 'atS'>): boolean {
    return token === this.pullToken({ subjectId, type, atS }) && this.now() / 1000 < atS + PULL_TOKEN_S;
  }

  /** @returns false when any of it was asked for before. */
  askHistory(asked: HistoryAsked): boolean {
    const { subjectId, clientId, type, fromS, toS } = asked;
    const isRepeat = this.#asked.some(
      (one) => one.subjectId === subjectId && one.clientId === clientId && one.type === type && one.fromS < toS && one.toS > fromS,
    );
    if (!isRepeat) this.#asked.push(asked);
    return !isRepeat;
  }

  /** Those of a span of time, each as it was uploaded last. */
  summariesOf({ subjectId, type, fromS, toS }: Omit<HistoryAsked, 'clientId'>): readonly Summary[] {
    const last = new Map<unknown, Summary>();
    for (const one of this.#uploads) if (one.subjectId === subjectId && one.type === type) last.set(one.summary['summaryId'], one.summary);
    return [...last.values()].filter((summary) => {
      const atS = timeOf(summary);
      return atS >= fromS && atS < toS;
    });
  }

  /** In the order of upload. @param fromS inside. @param toS outside. */
  uploadsOf(subjectId: string, type: string, { fromS, toS }: { fromS: number; toS: number }): readonly Summary[] {
    return this.#uploads
      .filter((one) => one.subjectId === subjectId && one.type === type && one.atS >= fromS && one.atS < toS)
      .sort((a, b) => a.atS - b.atS)
      .map(({ summary }) => summary);
  }

  override clear(): void {
    super.clear();
    this.#uploads = [];
    this.#asked = [];
  }

  protected override newSubjectId(): string {
    return randomUUID();
  }
}

/** When a summary is about, seconds since 1970. */
function timeOf({ startTimeInSeconds, measurementTimeInSeconds, calendarDate }: Summary): number {
  return Number(startTimeInSeconds ?? measurementTimeInSeconds ?? Date.parse(String(calendarDate)) / 1000);
}
