import type { FastifyInstance } from 'fastify';
import { escapeHtml, htmlPage, htmlTable } from './html.js';

export interface FactTable {
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface StandIn {
  readonly path: string;
  readonly name: string;
  /** What it holds now; no secret and no token. */
  readonly facts: () => readonly FactTable[];
}

/** `GET /`: what every stand-in holds at this moment, for a person. */
export function registerFrontPage(standIns: readonly StandIn[]) {
  return async (scope: FastifyInstance): Promise<void> => {
    scope.get('/', async (_request, reply) => {
      const sections = standIns.map(({ path, name, facts }) => {
        const tables = facts().map(({ title, headings, rows }) => `<h3>${escapeHtml(title)}</h3>${htmlTable(headings, rows)}`);
        return `<h2>${escapeHtml(name)} at <code>${escapeHtml(path)}</code></h2>${tables.join('\n')}`;
      });
      reply.type('text/html; charset=utf-8');
      return htmlPage(
        'Provider sandbox',
        `<p>Stand-ins for tests and the demo. All data is made up and in memory.</p>${sections.join('\n')}`,
      );
    });
  };
}
