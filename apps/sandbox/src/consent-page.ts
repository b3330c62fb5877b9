import { escapeHtml, htmlPage } from './html.js';

export interface ConsentRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  /** RFC 7636, method S256. */
  readonly challenge?: string | undefined;
}

/** Someone who can consent. */
interface Resident {
  readonly subjectId: string;
  readonly name: string;
}

/** The form posts to `action`, relative to the page. */
interface ConsentStyle {
  readonly provider: string;
  readonly action: string;
  readonly scopeSeparator: ' ' | ',';
}

/** Where a provider would ask the person who is logged in; here the reader chooses who that is. */
export function consentPage(
  { clientId, redirectUri, scopes, state, challenge }: ConsentRequest,
  people: readonly Resident[],
  { provider, action, scopeSeparator }: ConsentStyle,
): string {
  const hidden = Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(scopeSeparator),
    ...(state === undefined ? {} : { state }),
    ...(challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }),
  })
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('\n');
  const who = people
    .map(
      (person, i) =>
        `<label><input type="radio" name="person" value="${escapeHtml(person.subjectId)}"${i === 0 ? ' checked' : ''}> ${escapeHtml(person.name)}</label><br>`,
    )
    .join('\n');
  const what = scopes
    .map((scope) => `<label><input type="checkbox" name="granted" value="${escapeHtml(scope)}" checked> ${escapeHtml(scope)}</label><br>`)
    .join('\n');
  return htmlPage(
    `${provider} (stand-in): share data`,
    `<p><code>${escapeHtml(clientId)}</code> asks to read your data.</p>
<form method="post" action="${escapeHtml(action)}">
${hidden}
<fieldset><legend>Who are you?</legend>${who || '<p>Nobody lives here yet; add a person through the control API.</p>'}</fieldset>
<fieldset><legend>What do you share?</legend>${what}</fieldset>
<button name="decision" value="allow"${people.length === 0 ? ' disabled' : ''}>Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  );
}

/** Shown and not redirected: an address that was not registered is never sent anybody. */
export function refusalPage(provider: string, reason: string): string {
  return htmlPage(`${provider} (stand-in): this request is not valid`, `<p>${escapeHtml(reason)}</p>`);
}
