import { request } from 'undici';

const MAX_ANSWER_BYTES = 65_536;

/** Asks a callback to prove that it is whose it is said to be: 200 with the challenge in a field of JSON, in time. @returns what is wrong. */
export async function challengeFault(
  url: string,
  { field, challenge }: { field: string; challenge: string },
  timeoutMs: number,
): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, { method: 'GET', signal: AbortSignal.timeout(timeoutMs) });
    const text = await textUpTo(body, MAX_ANSWER_BYTES);
    if (statusCode !== 200) return `it answered ${statusCode}`;
    const echoed: unknown = JSON.parse(text);
    const right = typeof echoed === 'object' && echoed !== null && (echoed as Record<string, unknown>)[field] === challenge;
    return right ? undefined : 'it did not echo the challenge';
  } catch (error) {
    return error instanceof SyntaxError ? 'it did not answer JSON' : 'it gave no whole answer in time';
  }
}

async function textUpTo(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
