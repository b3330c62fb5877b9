/**
 * docs/providers.md from the adapters' own facts and words.
 * @param {readonly import('../packages/providers/dist/index.js').InboundProvider[]} inbound
 * @param {ReadonlySet<string>} read ids of the providers whose data is read too
 * @returns {string}
 */
export function renderProviderDocs(inbound, read) {
  const providers = [...inbound].sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = [
    '# Providers',
    '',
    '<!-- Made from packages/providers/src/*/provider.ts by `npm run docs:providers`. Do not edit. -->',
    '',
    'Whose webhooks we take, how each is proved, and what is not certain about it. The words are those of the [glossary](glossary.md).',
    '',
    'A **grade** says how much a proof proves. `signed`: a signature over the whole body. `signed-partial`: over a part of it.',
    '`shared-secret`: the request brings a secret that both sides know. `path-secret`: only the provider knows our address. Below `signed`, a',
    'delivery may cause a read and nothing else, unless the operator of the app has said that what it carries is to be taken.',
    '',
    ...table(
      ['provider', 'grade', 'answer within', 'repeats for', 'largest body', 'data'],
      providers.map(({ id, name, facts }) => [
        `[${name}](#${anchor(name)})`,
        `\`${facts.grade}\``,
        duration(facts.answerDeadlineMs),
        facts.retryHorizonMs === null ? 'never' : duration(facts.retryHorizonMs),
        size(facts.maxBodyBytes),
        read.has(id) ? 'read' : 'webhooks only',
      ]),
    ),
  ];
  for (const provider of providers) lines.push('', ...section(provider));
  return `${lines.join('\n')}\n`;
}

function section({ id, name, facts, docs }) {
  const rows = [
    ['address', `\`/in/${id}/<app key>\``],
    ['signature', docs.signature],
    ['handshake', docs.handshake],
    ['delivery id', docs.deliveryId],
    ['repeats', docs.retries],
    ['limits', docs.limits],
  ];
  if (facts.keyOrigins?.length > 0) rows.push(['keys from', facts.keyOrigins.map((origin) => `\`${origin}\``).join(', ')]);
  const uncertain =
    docs.uncertain.length === 0 ? ['Nothing is uncertain.'] : ['Uncertain:', '', ...docs.uncertain.map((one) => `- ${one}`)];
  return [`## ${name}`, '', ...table(['', ''], rows), '', ...uncertain];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}

/** As GitHub names a heading. */
function anchor(name) {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** @param {number} ms @returns {string} e.g. `6 h 1 min 10 s`; whole seconds from the first one on */
export function duration(ms) {
  if (ms < 1000) return `${ms} ms`;
  let left = Math.round(ms / 1000);
  const parts = [];
  for (const [seconds, unit] of units) {
    const count = Math.floor(left / seconds);
    if (count > 0) parts.push(`${count} ${unit}`);
    left -= count * seconds;
  }
  return parts.join(' ');
}

/** @param {number} bytes @returns {string} */
export function size(bytes) {
  const [count, unit] = bytes >= 1024 ** 2 ? [bytes / 1024 ** 2, 'MiB'] : [bytes / 1024, 'KiB'];
  return `${Number(count.toFixed(1))} ${unit}`;
}
