import type { Notice } from '@tributary/domain';
import { distinctNotices } from './distinct-notices.js';
import { MalformedDelivery, type ParsedDelivery } from './provider.js';

/**
 * The notices of a delivery that has many items. One item that cannot be read takes no other with it: a delivery is acknowledged as a whole,
 * and the other people's items do not come again.
 * @throws MalformedDelivery when nothing in it could be read.
 */
export function noticesOfEach<T>(
  items: readonly T[],
  read: (item: T, at: number) => readonly Notice[],
): Pick<ParsedDelivery, 'notices' | 'complaint'> {
  const notices: Notice[] = [];
  let complaint: string | undefined;
  items.forEach((item, at) => {
    try {
      for (const notice of read(item, at)) notices.push(notice);
    } catch (error) {
      if (!(error instanceof MalformedDelivery)) throw error;
      complaint ??= error.detail;
    }
  });
  if (complaint === undefined) return { notices: distinctNotices(notices) };
  if (notices.length === 0) throw new MalformedDelivery(complaint);
  return { notices: distinctNotices(notices), complaint };
}

/** Whether all of these ids are of people who have a notice. What is no id is nobody's that we know. */
export function allHaveNotices(ids: readonly unknown[], notices: readonly Notice[]): boolean {
  if (ids.length === 0) return true;
  const told = new Set(notices.map(({ subjectId }) => subjectId));
  return ids.every((id) => told.has(String(id)));
}
