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

/** Apps that write what their own provider shows too, by how the name of their package begins. */
const writers: readonly (readonly [prefix: string, provider: string])[] = [
  ['com.garmin.', 'garmin'],
  ['com.ouraring.', 'oura'],
  ['com.whoop.', 'whoop'],
  ['com.strava', 'strava'],
  ['fi.polar.', 'polar'],
  ['com.withings.', 'withings'],
];

/**
 * Two platforms, and two apps on one of them, may each have a value of one day, so both are in the id; the device's name is not, as the
 * person may have given it, and a new device of the same kind goes on with the stream of the old.
 */
export function sourceOf(point: Document, at: string): Source {
  const source = readDocument(point['dataSource'] ?? {}, `${at}dataSource.`);
  const device = readDocument(source['device'] ?? {}, `${at}dataSource.device.`);
  const application = readDocument(source['application'] ?? {}, `${at}dataSource.application.`);
  const form = readText(device, 'formFactor', `${at}dataSource.device.`);
  const app = readText(application, 'packageName', `${at}dataSource.application.`) || undefined;
  const words = [readText(source, 'platform', `${at}dataSource.`) ?? 'unknown', app, form].filter((word) => word !== undefined);
  const writer = writers.find(([prefix]) => app?.startsWith(prefix));
  return {
    id: `src_google_${words
      .join('_')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')}`,
    type: types[form ?? ''] ?? 'unknown',
    manufacturer: readText(device, 'manufacturer', `${at}dataSource.device.`),
    model: readText(device, 'displayName', `${at}dataSource.device.`),
    ...(writer !== undefined && { originProvider: writer[1] }),
  };
}

/** The person typed it in. */
export function isManual(point: Document): boolean {
  const source = point['dataSource'];
  return typeof source === 'object' && source !== null && 'recordingMethod' in source && source.recordingMethod === 'MANUAL';
}
