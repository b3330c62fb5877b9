import type { Clock } from '@tributary/service-shell';
import { type App, World } from '../world.js';
import { type WhoopDocument, collectionNames } from './documents.js';

export interface WhoopApp extends App {
  /** Typed into the settings of the app; without one nothing is sent. */
  callbackUrl: string | null;
}

/** Numbers of people have seven digits. */
const FIRST_ID = 4_400_000;

export class WhoopWorld extends World<WhoopApp, WhoopDocument> {
  #lastId = FIRST_ID;
  #traces = 0;

  constructor(now: Clock) {
    super(now, collectionNames);
  }

  newTrace(): string {
    this.#traces += 1;
    return `trace-${this.now()}-${this.#traces}`;
  }

  protected override newSubjectId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }
}
