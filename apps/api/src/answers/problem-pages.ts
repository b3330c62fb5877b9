import { type ProblemCode, problemCodes } from '@tributary/domain';
import { problemStatus } from '@tributary/service-shell';
import { problemWords } from './problem-words.js';

/** Where a code is explained, on the server that answered with it: RFC 9457 takes a path for its `type`. */
export function problemType(code: ProblemCode): string {
  return `/problems/${code}`;
}

export function problemTitle(code: ProblemCode): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** docs/problems.md. */
export function problemsDocument(): string {
  const parts = problemCodes.map((code) => {
    const { means, then } = problemWords[code];
    return `## ${code}\n\nStatus ${problemStatus[code]}. ${means}\n\n${then}\n`;
  });
  return `<!-- Written by "npm run openapi:write" from apps/api/src/answers/problem-words.ts. -->
# Problems

Every failure of the API answers \`application/problem+json\` as RFC 9457 has it. Write programs against \`code\`: it is stable. \`type\` is a
path on the server that answered, where the same is said as below; \`detail\` is for people and may change; \`faults\` names faulty fields;
\`requestId\`, also in the header \`x-request-id\`, is what to name when you ask about an answer.

${parts.join('\n')}`;
}

/** One code as a page that needs nothing else, or the list of all. */
export function problemPage(code: ProblemCode | undefined): string {
  const title = code === undefined ? 'Problems' : problemTitle(code);
  const body =
    code === undefined
      ? `<ul>${problemCodes.map((one) => `<li><a href="/problems/${one}"><code>${one}</code></a></li>`).join('')}</ul>`
      : `<p>Status ${problemStatus[code]}, code <code>${code}</code>.</p><p>${htmlOf(problemWords[code].means)}</p><p>${htmlOf(problemWords[code].then)}</p><p><a href="/problems">All problems</a></p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Tributary</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
}

function htmlOf(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`).replace(/`([^`]+)`/g, '<code>$1</code>');
}
