/** An answer of the API that is none of success, as its problem document (RFC 9457) says it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  constructor(
    readonly status: number,
    /** Stable; code may be written against it. `unknown` when the answer was no problem document. */
    readonly code: string,
    message: string,
    /** The document, whole. */
    readonly problem: unknown,
  ) {
    super(message);
  }
}

/** @param where the call, as it is told to a person: `GET /v1/events` */
export function problemOf(response: Response, body: unknown, where: string): ApiProblem {
  const { code, title, detail } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const said = [title, detail].filter((text) => typeof text === 'string').join(': ');
  const message = `${where} answered ${response.status}${said === '' ? '.' : `: ${said}`}`;
  return new ApiProblem(response.status, typeof code === 'string' ? code : 'unknown', message, body);
}
