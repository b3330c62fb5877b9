/** Thrown by a handler that is overloaded, or whose own service is: the event comes again, not before so many seconds. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  constructor(
    readonly seconds: number,
    message = `Asked to come again in ${seconds} s.`,
  ) {
    super(message);
    if (!(seconds > 0 && Number.isFinite(seconds))) throw new RangeError('RetryLater needs a number of seconds, more than 0.');
  }
}
