/** Standard base64 with padding, of a signature or a secret: some dozen bytes. By `btoa`, which every runtime has; `Buffer` is Node's alone. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Reads only what {@link toBase64} writes; undefined for anything else, so one value has one spelling. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    // `atob` lets white space, a lost padding and stray bits pass; written again they are not the same.
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}
