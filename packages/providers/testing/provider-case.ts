import type { Notice } from '@tributary/domain';
import type { AppForVerification, IngestOutcome, RemoteKeys, SecretPurpose } from '../src/provider.js';

/** What the suite has to know of a provider: how it proves itself, and what its bodies say. */
export interface ProviderCase {
  readonly proof: SignedProof | SharedSecretProof | PathSecretProof;
  /** Of real deliveries; `application/json` unless said. */
  readonly contentType?: string;
  /** What a repeat of the same bytes is; see `ParsedDelivery`. */
  readonly deliveryId: 'strict' | 'reopenable';
  readonly genuine: { readonly body: Buffer; readonly notices: readonly Notice[] };
  /** Genuine, of a type that we do not read. */
  readonly unread: Buffer;
  /** Genuine and another delivery, with a field that nobody documented. */
  readonly extended: { readonly body: Buffer; readonly notices: readonly Notice[] };
  /** Genuine, with a subject id beyond 2^53 written as a number (the longest that there is, where ids are text). */
  readonly longId: { readonly body: Buffer; readonly subjectId: string };
  /** Genuine, of several people or several items; for providers that send such. */
  readonly several?: { readonly body: Buffer; readonly notices: readonly Notice[] };
  /** Bodies of the wrong shape, and the path that the complaint must name. Nothing of what they hold may be quoted: write `private`. */
  readonly malformed: readonly { readonly body: Buffer; readonly names: string }[];
  /** What an empty POST with a good proof is; `malformed` unless it is a probe of this provider's. */
  readonly emptyBody?: 'malformed' | 'no notices';
  /** Whether the adapter reads a collection of that name: every notice must name one that it does. */
  reads(collection: string): boolean;
  /** Methods other than POST by which this provider probes our address. */
  readonly probes?: readonly string[];
  /** Statuses that differ from the usual: 200, 401, 413, 503, 405, and 200 for what can never be read. */
  readonly statuses?: Partial<Record<IngestOutcome, number>>;
}

interface KeyedProof {
  /** The secrets that prove. */
  readonly purpose: SecretPurpose;
  /** Brings the suite's plain words into the provider's form of a secret; as they are unless said. */
  secretOf?(word: string): string;
  /** Anything else that the adapter compares with the request. */
  readonly app?: Partial<Pick<AppForVerification, 'clientId' | 'acceptsCarried'>>;
  /** Further names of the same headers, each a whole set: usual name to other name. */
  readonly otherNames?: readonly Readonly<Record<string, string>>[];
}

/** A MAC or signature of the body (or, `signed-partial`, of a part of it) in a header. */
export interface SignedProof extends KeyedProof {
  readonly grade: 'signed' | 'signed-partial';
  readonly signatureHeader: string;
  /** Whether a signature in the other letter case is the same signature. */
  readonly ignoresCase: boolean;
  /** Present when a time is signed too. */
  readonly timestampHeader?: string;
  /** Headers of a genuine delivery, made independently of the code under test. `signedAt` in epoch milliseconds, a whole second. */
  sign(body: Buffer, secret: string, signedAt: number): Record<string, string>;
  /** Recorded, or computed outside this code base. `signedAt` where a time is signed, in epoch milliseconds. */
  readonly vector: {
    readonly secret: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
    readonly signedAt?: number;
  };
  /** For providers that sign with a key of their own. */
  readonly keys?: RemoteKeys;
}

/** The secret itself comes with each delivery. */
export interface SharedSecretProof extends KeyedProof {
  readonly grade: 'shared-secret';
  /** Where the secret stands; undefined: inside the body. */
  readonly header?: string;
  /** A genuine delivery that shows this secret: headers to add, or the body with the secret in it. */
  present(body: Buffer, secret: string): { readonly headers?: Record<string, string>; readonly body?: Buffer };
}

/** Nothing but our unguessable address, and what the provider says of itself for a cross-check. */
export interface PathSecretProof {
  readonly grade: 'path-secret';
  readonly app?: Partial<AppForVerification>;
  /** What a genuine delivery brings besides its body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers or a body by which a delivery is seen not to be ours. */
  readonly foreign?: readonly { readonly headers?: Readonly<Record<string, string>>; readonly body?: Buffer }[];
}
