import { type Notice, windowColumns } from '@tributary/domain';
import { contentId } from './signature/content-id.js';

/** Without those that only repeat what the delivery said last of their window. Of carried data the order counts: first, second, first again stays. */
export function distinctNotices(notices: readonly Notice[]): readonly Notice[] {
  const lastSaid = new Map<string, string>();
  return notices.filter(({ subjectId, collection, kind, window, version, carried, callback = '' }) => {
    const { windowKind, windowStart, windowEnd } = windowColumns(window);
    const about = JSON.stringify([subjectId, collection, windowKind, windowStart, windowEnd]);
    const said = `${kind} ${version} ${carried === undefined ? callback : contentId(carried)}`;
    if (lastSaid.get(about) === said) return false;
    lastSaid.set(about, said);
    return true;
  });
}
