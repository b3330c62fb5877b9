/** How fast what is recovered becomes due: fresh events never wait behind more than `room` and one slice of it. */
export const recoveryPace = {
  /** Events of one slice that match. */
  slice: 100,
  /** Events that one slice looks at. */
  look: 2_000,
  /** Between two slices of a recovery. */
  everyMs: 1_000,
  /** An endpoint with more deliveries due than this is left to work them off first. */
  room: 200,
  /** Before the endpoint of a recovery is looked at again that is disabled. */
  disabledMs: 10_000,
  /** That run in one environment at the same time. */
  atOnce: 10,
} as const;
