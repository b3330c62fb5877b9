import { randomInt } from 'node:crypto';
import type { Clock } from '@tributary/service-shell';
import { type App, World } from '../world.js';
import { type GooglePoint, typeNames } from './documents.js';
import { SigningKey } from './signing-key.js';

export interface Subscriber {
  readonly endpointUri: string;
  /** Comes back in `Authorization`, to the letter and with its scheme. */
  readonly secret: string;
  /** The rest of one that a service account made. */
  readonly id?: string;
  readonly configs?: readonly object[];
  state?: 'ACTIVE' | 'INACTIVE';
}

/** Who may manage the subscribers of the app's project. */
export interface Account {
  readonly clientEmail: string;
  /** PEM. */
  readonly publicKey: string;
}

export interface GoogleApp extends App {
  /** Of the app's Cloud project; without one nothing is sent. */
  subscriber: Subscriber | null;
  account: Account | null;
}

interface PointPlace {
  readonly subjectId: string;
  readonly collection: string;
  readonly id: string;
}

const nameOf = ({ subjectId, collection, id }: PointPlace): string => JSON.stringify([subjectId, collection, id]);

const LONGEST_KEY_ID = 2 ** 32;

/** Ids of people are digits, more than a JS number holds. */
const ID_PREFIX = '72039988155';

export class GoogleWorld extends World<GoogleApp, GooglePoint> {
  #keys = [newKey()];
  #people = 0;
  readonly #spans = new Map<string, GooglePoint['span']>();

  constructor(now: Clock) {
    super(now, typeNames, undefined, false);
  }

  /** What a notification of a point tells, also once the point is gone. */
  spanOf(place: PointPlace): GooglePoint['span'] | undefined {
    return this.#spans.get(nameOf(place));
  }

  noteSpan(place: PointPlace, span: GooglePoint['span']): void {
    this.#spans.set(nameOf(place), span);
  }

  override clear(): void {
    super.clear();
    this.#spans.clear();
  }

  /** Signs; the ones before it are still in the set, as after a rotation. */
  get key(): SigningKey {
    return this.#keys[0] as SigningKey;
  }

  keyset(): object {
    return { primaryKeyId: this.key.keyId, key: this.#keys.map(({ entry }) => entry) };
  }

  rotateKey(): void {
    this.#keys = [newKey(), this.key];
  }

  protected override newSubjectId(): string {
    this.#people += 1;
    return `${ID_PREFIX}${String(this.#people).padStart(8, '0')}`;
  }
}

function newKey(): SigningKey {
  return new SigningKey(randomInt(1, LONGEST_KEY_ID));
}
