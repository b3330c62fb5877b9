import { addDays } from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift, EndOfRead } from '../drift.js';
import type { FetchContext, ProviderHttp } from '../provider.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type GoogleCollection, googleCollections } from './collections.js';
import type { RollupCollection } from './daily-records.js';
import type { Point } from './day-series.js';
import type { Span } from './span.js';

/** Pages of one window that we follow: a week of a heart, every five seconds. */
const MAX_PAGES = 100;

/** Longest civil range that one roll-up may have; 90 days for the others. */
const shortRanges: Partial<Record<RollupCollection, number>> = { 'heart-rate': 14, 'total-calories': 14, 'active-minutes': 14 };
const LONG_RANGE = 90;

type Request = Omit<Parameters<ProviderHttp['send']>[0], 'headers'>;

/** The calls of one read of one type. */
export class GoogleRead {
  /** Every page was read. */
  complete = true;
  #pagesLeft = MAX_PAGES;

  constructor(
    private readonly collection: GoogleCollection,
    private readonly context: FetchContext,
  ) {}

  /** @param member what of the type the range is about. @param range `from` inside, `to` outside, in that member's own writing. */
  list(member: string, range: { readonly from: string; readonly to: string }, pageSize: number): Promise<Point[]> {
    // Hyphens in the path, underscores in the filter.
    const name = `${this.collection.replaceAll('-', '_')}.${member}`;
    const filter = `${name} >= "${range.from}" AND ${name} < "${range.to}"`;
    return this.#pages('dataPoints', (pageToken) => {
      const query = new URLSearchParams({ filter, pageSize: String(pageSize), ...(pageToken !== undefined && { pageToken }) });
      return { method: 'GET', url: `${this.#url()}?${query}` };
    });
  }

  /** Always by whole civil days, so that a second read of the same is asked in the same words. */
  async rollUp(collection: RollupCollection, { days }: Span): Promise<Point[]> {
    const points: Point[] = [];
    for (let from = days.from; from < days.to; ) {
      const end = addDays(from, shortRanges[collection] ?? LONG_RANGE);
      const to = end < days.to ? end : days.to;
      const range = { start: midnight(from), end: midnight(to) };
      points.push(
        ...(await this.#pages('rollupDataPoints', (pageToken) => ({
          method: 'POST',
          url: `${this.#url()}:dailyRollUp`,
          body: JSON.stringify({ range, windowSizeDays: 1, ...(pageToken !== undefined && { pageToken }) }),
        }))),
      );
      from = to;
    }
    return points;
  }

  /** @throws EndOfRead when a page is refused: half a window is never taken for one. */
  async #pages(field: string, requestOf: (pageToken: string | undefined) => Request): Promise<Point[]> {
    const points: Point[] = [];
    let token: string | undefined;
    do {
      if (this.#pagesLeft === 0) {
        this.complete = false;
        break;
      }
      this.#pagesLeft -= 1;
      const page = await this.#send(requestOf(token));
      const list = page[field] ?? [];
      if (!Array.isArray(list)) throw new Drift(`${field} is no list`);
      points.push(...list.map((value: unknown, n): Point => ({ value, at: `${field}[${n}].` })));
      token = readText(page, 'nextPageToken', '') || undefined;
    } while (token !== undefined);
    return points;
  }

  async #send(request: Request): Promise<Document> {
    const { http, accessToken, now } = this.context;
    const reply = await http.send({
      ...request,
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/json',
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
    });
    const refused = refusalOf(reply, googleCollections[this.collection].scope, () => retryAtOf(reply.headers, now));
    if (refused !== undefined) throw new EndOfRead(refused);
    return readDocument(replyJson(reply), '');
  }

  #url(): string {
    return `${this.context.origins.api}/v4/users/me/dataTypes/${this.collection}/dataPoints`;
  }
}

/** Zero parts of a time of day are left out. */
function midnight(day: string): object {
  const [year, month, date] = day.split('-').map(Number);
  return { date: { year, month, day: date }, time: {} };
}
