/** Reads that are remembered; of more, the one that was read longest ago is forgotten. */
const MOST = 20_000;

/** How many calls each read needed when it was made last. In memory: who forgets it asks for one call at a time and finds out again. */
export class CallNeeds {
  readonly #calls = new Map<string, number>();

  /** @returns at least 1. */
  get(name: string | undefined): number {
    return (name === undefined ? undefined : this.#calls.get(name)) ?? 1;
  }

  /** To be told how many calls were made, and whether there were too few: then it is twice as many next time. */
  noteFor(name: string | undefined): (calls: number, tooFew: boolean) => void {
    return (calls, tooFew) => {
      if (name === undefined || calls === 0) return;
      this.#calls.delete(name);
      if (calls === 1 && !tooFew) return;
      this.#calls.set(name, tooFew ? calls * 2 + 1 : calls);
      if (this.#calls.size > MOST) for (const [oldest] of this.#calls) return void this.#calls.delete(oldest);
    };
  }
}
