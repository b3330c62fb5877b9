import type { Source } from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';

/** What Google has made one of all a person's sources, as its own app shows it. */
export const merged: Source = { id: 'src_google_merged', type: 'platform_merged', manufacturer: undefined, model: undefined };

const types: Readonly<Record<string, Source['type']>> = {
  PHONE: 'phone',
  WATCH: 'watch',
  FITNESS_BAND: 'band',
  RING: 'ring',
  SCALE: 'scale',
};

/**
 * Two platforms may each have a value of one day, so the platform is in the id; the device's name is not, as the person may have given it,
 * and a new device of the same kind goes on with the stream of the old.
 */
export function sourceOf(point: Document, at: string): Source {
  const source = readDocument(point['dataSource'] ?? {}, `${at}dataSource.`);
  const device = readDocument(source['device'] ?? {}, `${at}dataSource.device.`);
  const form = readText(device, 'formFactor', `${at}dataSource.device.`);
  const words = [readText(source, 'platform', `${at}dataSource.`) ?? 'unknown', ...(form === undefined ? [] : [form])];
  return {
    id: `src_google_${words
      .join('_')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')}`,
    type: types[form ?? ''] ?? 'unknown',
    manufacturer: readText(device, 'manufacturer', `${at}dataSource.device.`),
    model: readText(device, 'displayName', `${at}dataSource.device.`),
  };
}

/** The person typed it in. */
export function isManual(point: Document): boolean {
  const source = point['dataSource'];
  return typeof source === 'object' && source !== null && 'recordingMethod' in source && source.recordingMethod === 'MANUAL';
}
