import type { Notice, Scope } from '@tributary/domain';

/** A proved delivery with at least one notice. */
export interface NewDelivery extends Scope {
  readonly providerAppId: string;
  readonly deliveryId: string;
  /** Made from a body that two real changes may share: a repeat is news once the first was worked. */
  readonly reopenable: boolean;
  /** Epoch milliseconds, of the provider's clock. */
  readonly signedAt: number | undefined;
  readonly grade: 'signed' | 'signed-partial' | 'shared-secret' | 'path-secret';
  readonly secretId: string;
  readonly bodyHash: Buffer;
  /** Redacted; undefined where it names somebody of whom there is no notice. */
  readonly rawBody: Buffer | undefined;
  readonly notices: readonly NewNotice[];
}

export interface NewNotice extends Notice {
  /** Under every key of the ring: how a tombstone would name this subject. */
  readonly subjectHashes: readonly Buffer[];
}
