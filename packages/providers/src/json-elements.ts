const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The bytes of each element of the lists that an object holds, by the list's key, as views of the body: what is carried on is then
 * what came, digit for digit, and not our writing of it. As in `JSON.parse`, of a key that comes twice the last counts.
 * @param body a JSON object. Only for bytes that `parseJson` has read: this looks for ends and checks nothing.
 */
export function listElements(body: Buffer): ReadonlyMap<string, readonly Buffer[]> {
  const lists = new Map<string, readonly Buffer[]>();
  let at = skipTo(body, 0, OPEN_OBJECT) + 1;
  for (;;) {
    at = skipBlank(body, at);
    if (at >= body.length || body[at] === CLOSE_OBJECT) return lists;
    if (body[at] === COMMA) at = skipBlank(body, at + 1);
    const keyEnd = endOfValue(body, at);
    const key = JSON.parse(body.toString('utf8', at, keyEnd)) as string;
    const start = skipBlank(body, skipTo(body, keyEnd, COLON) + 1);
    at = endOfValue(body, start);
    lists.set(key, body[start] === OPEN_LIST ? elements(body.subarray(start + 1, at - 1)) : []);
  }
}

/** @param inside what stands between the brackets. */
function elements(inside: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = skipBlank(inside, 0); at < inside.length; at = skipBlank(inside, at)) {
    if (inside[at] === COMMA) {
      at += 1;
      continue;
    }
    const end = endOfValue(inside, at);
    found.push(inside.subarray(at, end));
    at = end;
  }
  return found;
}

/** @param start the first byte of a value. @returns the place after its last. */
function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start] as number;
  if (first === QUOTE) return endOfText(bytes, start);
  let at = start;
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) {
    // One byte at least, so that every step goes forward whatever the bytes are.
    at += 1;
    while (at < bytes.length && !isBlank(bytes[at]) && !endsBareValue(bytes[at])) at += 1;
    return at;
  }
  let depth = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
      continue;
    }
    at += 1;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && --depth === 0) return at;
  }
  return at;
}

/** @param start the opening quote. */
function endOfText(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    // An even number of backslashes are pairs; of an odd number the last one escapes the quote.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return bytes.length;
}

function skipTo(bytes: Buffer, at: number, wanted: number): number {
  const found = bytes.indexOf(wanted, at);
  return found < 0 ? bytes.length : found;
}

function skipBlank(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length && isBlank(bytes[next])) next += 1;
  return next;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endsBareValue(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT;
}
