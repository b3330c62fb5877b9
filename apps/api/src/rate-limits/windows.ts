/** Counts what each name did in a window of time that begins with its first. All times in milliseconds since the epoch. */
export class Windows {
  /** In the order of their begin, hence of their end. */
  readonly #byName = new Map<string, { count: number; readonly endsAt: number }>();

  /** Names that are held. */
  get size(): number {
    return this.#byName.size;
  }

  constructor(private readonly windowMs: number) {}

  /** @returns how many of `name` this window has had, this one included, and the milliseconds that are left of it. */
  count(name: string, now: number): { count: number; leftMs: number } {
    let window = this.#byName.get(name);
    // A clock that was set back would make it last.
    if (window === undefined || window.endsAt <= now || window.endsAt > now + this.windowMs) {
      this.#byName.delete(name);
      this.#forgetEnded(now);
      window = { count: 0, endsAt: now + this.windowMs };
      this.#byName.set(name, window);
    }
    window.count += 1;
    return { count: window.count, leftMs: window.endsAt - now };
  }

  #forgetEnded(now: number): void {
    for (const [name, { endsAt }] of this.#byName) {
      if (endsAt > now) return;
      this.#byName.delete(name);
    }
  }
}
