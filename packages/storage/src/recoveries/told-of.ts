/**
 * Expressions of SQL: of which provider and metric an event tells, read from its bytes; null where it tells of none. Events about endpoints have none.
 * @param e alias of a row with `type` and `data`.
 */
export function toldOf(e: string): { readonly provider: string; readonly metric: string } {
  // Escapes that text of Postgres cannot hold (NUL, half of a surrogate pair) are no part of these names: out with them, and a pair of
  // backslashes is none.
  const told = String.raw`(regexp_replace(convert_from(${e}.data, 'UTF8'), '(\\\\)|\\u[0-9A-Fa-f]{4}', '\1', 'g')::json)`;
  const named = (name: string) => `(case when ${e}.type like 'endpoint.%' then null else ${told} ->> '${name}' end)`;
  return { provider: named('provider'), metric: named('metric') };
}
