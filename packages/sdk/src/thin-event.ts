import type { RecordData } from './events.js';
import type { RecordLinks } from './record-forms.js';

/** What an endpoint with `payload: "thin"` is sent: no `record`, and links to it. */
export type ThinData<T extends RecordData> = Omit<T, 'record'> & { readonly links: RecordLinks };

/**
 * Ask this before you read `record`, if your endpoint takes thin events: there it is not sent.
 *
 *     if (isThin(event.data)) await fetch(new URL(event.data.links.self, api), …)
 */
export function isThin<T extends RecordData>(data: T | ThinData<T>): data is ThinData<T> {
  return !('record' in data);
}
