import { type Notice, windowColumns } from '@tributary/domain';
import { contentId } from './signature/content-id.js';

/** Of notices that say the same in one delivery, the first; of two whose carried data differ, both, in their order. */
export function distinctNotices(notices: readonly Notice[]): readonly Notice[] {
  const seen = new Set<string>();
  return notices.filter(({ subjectId, collection, kind, window, version, carried }) => {
    const { windowKind, windowStart, windowEnd } = windowColumns(window);
    const content = carried === undefined ? null : contentId(carried);
    const key = JSON.stringify([subjectId, collection, kind, windowKind, windowStart, windowEnd, version ?? null, content]);
    return seen.size < seen.add(key).size;
  });
}
