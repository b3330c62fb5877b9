/** A request that was signed with one of the secrets, whatever its body says. */
export interface VerifiedRequest {
  /** `webhook-id`. */
  readonly id: string;
  /** When this attempt was signed. Not when the thing happened. */
  readonly sentAt: Date;
  /** The bytes that were checked. */
  readonly body: Uint8Array;
}
