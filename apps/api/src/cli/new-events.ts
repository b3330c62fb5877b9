import { z } from 'zod';
import type { ApiReach } from './reach-api.js';

const eventShape = z.object({
  id: z.string(),
  type: z.string(),
  revision: z.int(),
  occurredAt: z.string(),
  /** Null once the person it named was erased. */
  data: z.record(z.string(), z.unknown()).nullable(),
});
const pageShape = z.object({ data: z.array(eventShape), nextCursor: z.string().nullable() });

export type ListedEvent = z.infer<typeof eventShape>;

/** What is newer than the last time, oldest first. The list is read from its new end, so nothing is missed however much came. */
export class NewEvents {
  #last = 0;

  constructor(private readonly api: ApiReach) {}

  /** From now on: what there is already is not shown. */
  async begin(): Promise<void> {
    const { data } = pageShape.parse(await this.api.call('GET', '/v1/events?limit=1'));
    this.#last = data[0]?.revision ?? 0;
  }

  async next(): Promise<ListedEvent[]> {
    const found: ListedEvent[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = pageShape.parse(await this.api.call('GET', `/v1/events?limit=100${query}`));
      const fresh = page.data.filter(({ revision }) => revision > this.#last);
      found.push(...fresh);
      cursor = fresh.length === page.data.length ? page.nextCursor : null;
    }
    this.#last = found[0]?.revision ?? this.#last;
    return found.reverse();
  }
}
