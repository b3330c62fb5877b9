import { fromBase64 } from './base64.js';
import { readUtf8 } from './read-utf8.js';
import { type BodyMistake } from './verification-error.js';

/** Above this an explanation is not worth its hashing; events stay far below. */
const longestBody = 65_536;

/** The body with one change undone, in case that change was made. */
interface Suspect {
  readonly mistake: BodyMistake;
  readonly body: Uint8Array;
}

/**
 * What the body may have been before something was done to it, one change each. If one of them matches the signature, that was the
 * mistake. Never decides anything: the request stays refused.
 */
export function bodyMistakes(body: Uint8Array): readonly Suspect[] {
  const found: Suspect[] = [];
  const text = body.length > longestBody ? undefined : attempt(() => readUtf8(body));
  const suspect = (mistake: BodyMistake, repaired: string | Uint8Array | undefined): void => {
    if (repaired === undefined || repaired === text) return;
    found.push({ mistake, body: typeof repaired === 'string' ? new TextEncoder().encode(repaired) : repaired });
  };
  if (!text) return found;
  suspect('newline_added', text.replace(/\r?\n$/, ''));
  suspect('newline_removed', `${text}\n`);
  suspect('bom_added', text.replace(/^\uFEFF/, ''));
  suspect('bom_removed', `\uFEFF${text}`);
  suspect('line_ends_changed', text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n'));
  suspect('whitespace_added', text.trim());
  suspect('decoded_as_latin1', latin1Bytes(text));
  suspect('base64_encoded', fromBase64(text.trim()));
  const parsed = attempt((): unknown => JSON.parse(text));
  if (typeof parsed === 'string') suspect('json_encoded_twice', parsed);
  else if (parsed !== undefined) suspect('json_reserialised', JSON.stringify(parsed));
  return found;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Bytes taken for Latin-1 and written as UTF-8, put back; undefined when no character shows that this happened. */
function latin1Bytes(text: string): Uint8Array | undefined {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return codes.some((code) => code > 127) && codes.every((code) => code < 256) ? Uint8Array.from(codes) : undefined;
}
