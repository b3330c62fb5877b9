import type { MeasurementRecord } from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import { readDocument } from '../document-fields.js';
import { profileValue, readQuantity } from '../quantities.js';
import { ring } from './documents.js';

const profile = { ...ring, id: 'src_oura_profile', type: 'app' } as const;

/** What a person typed into their profile; without a time. @throws Drift naming the path. */
export function profileRecords(value: unknown, at: string, read: ReadAt): MeasurementRecord[] {
  const document = readDocument(value, at);
  const field = (name: string) => ({ recordId: `personal_info/${name}`, source: profile, path: at + name, read });
  return [
    ...profileValue('body_weight', readQuantity(document, 'weight', 'kg', at), field('weight')),
    ...profileValue('height', readQuantity(document, 'height', 'm', at), field('height')),
  ];
}
