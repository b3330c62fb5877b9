// Both as they stand in JSON text; `=`, `&` and `?` may be written as escapes there, as Java's writers do.
const tokenInUrl = /((?:[?&]|\\u003[fF]|\\u0026)token(?:=|\\u003[dD]))(?:\\(?!u0026).|[^"&\\])*/g;
const accessToken = /("userAccessToken"\s*:\s*")(?:\\.|[^"\\])*/g;

/** Takes the token out of callback addresses, and the access token of the OAuth 1 years. Every other byte stays as it came. */
export function redactGarmin(body: Buffer): Buffer {
  // Pushes run to megabytes and have neither, as a rule.
  if (!body.includes('oken')) return body;
  const text = body.toString('latin1');
  return Buffer.from(text.replace(tokenInUrl, '$1redacted').replace(accessToken, '$1redacted'), 'latin1');
}
