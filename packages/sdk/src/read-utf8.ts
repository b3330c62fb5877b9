const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Every byte counts: a byte order mark stays. @throws TypeError when the bytes are no UTF-8 */
export function readUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
