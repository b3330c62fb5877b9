import { type IdPrefix } from '@tributary/service-shell';
import { z } from 'zod';

/** Text that Postgres can hold: no NUL, no half of a surrogate pair. */
export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !value.includes('\0') && Buffer.from(value).toString() === value, 'holds a character that is no valid text');

/** One of our ids: prefix and ULID. */
export const idOf = (prefix: IdPrefix) =>
  z.string().regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`), `expected an id that begins with ${prefix}_`);

export const civilDate = () => z.iso.date('expected a date such as 2026-11-29');

export const instant = () => z.iso.datetime({ precision: 3 });

/** An http(s) address, stored as it was given. */
export const webUrl = (max: number) =>
  text(max).refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'expected an http or https address');
