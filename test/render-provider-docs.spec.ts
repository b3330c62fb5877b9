import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { type InboundProvider, inboundProviders, providers } from '@tributary/providers';

interface RenderProviderDocs {
  renderProviderDocs(inbound: readonly Pick<InboundProvider, 'id' | 'name' | 'facts' | 'docs'>[], read: ReadonlySet<string>): string;
  duration(ms: number): string;
  size(bytes: number): string;
}
const file = pathToFileURL(path.join(import.meta.dirname, 'render-provider-docs.mjs')).href;
const { renderProviderDocs, duration, size } = (await import(file)) as RenderProviderDocs;

const one = {
  id: 'one',
  name: 'One (beta) v2',
  facts: {
    maxBodyBytes: 65_536,
    answerDeadlineMs: 1_000,
    retryHorizonMs: null,
    grade: 'shared-secret',
    keyOrigins: ['https://keys.example.test'],
  },
  docs: {
    signature: 'A | B.',
    handshake: 'A handshake.',
    deliveryId: 'An id.',
    retries: 'Never.',
    limits: 'None.',
    uncertain: ['The first.', 'The second.'],
  },
} as const;

describe('the page of the providers', () => {
  it('says of each what its adapter says', () => {
    const page = renderProviderDocs(inboundProviders, new Set(providers.map(({ id }) => id)));
    for (const { id, name, docs } of inboundProviders) {
      const section = page.split('\n## ').find((text) => text.startsWith(`${name}\n`)) ?? '';
      expect(section).toContain(`/in/${id}/`);
      for (const sentence of [docs.signature, docs.handshake, docs.deliveryId, docs.retries, docs.limits, ...docs.uncertain]) {
        expect(section).toContain(sentence.replaceAll('|', '\\|'));
      }
    }
  });

  it('lists them by name, whatever order they are registered in', () => {
    const page = renderProviderDocs([{ ...one, id: 'z', name: 'Z' }, one, { ...one, id: 'a', name: 'A' }], new Set(['a']));
    expect(page.match(/^## .+$/gm)).toEqual(['## A', '## One (beta) v2', '## Z']);
    expect(page).toBe(renderProviderDocs([one, { ...one, id: 'a', name: 'A' }, { ...one, id: 'z', name: 'Z' }], new Set(['a'])));
    expect(page).toContain('| [A](#a) | `shared-secret` | 1 s | never | 64 KiB | read |');
    expect(page).toContain('| [One (beta) v2](#one-beta-v2) | `shared-secret` | 1 s | never | 64 KiB | webhooks only |');
  });

  it('keeps a sentence with a bar in its cell, and names uncertain facts and key sets only where there are some', () => {
    const page = renderProviderDocs([one], new Set());
    expect(page).toContain('| signature | A \\| B. |');
    expect(page).toContain('| keys from | `https://keys.example.test` |');
    expect(page).toContain('Uncertain:\n\n- The first.\n- The second.\n');
    const plain = renderProviderDocs(
      [{ ...one, facts: { ...one.facts, keyOrigins: [] }, docs: { ...one.docs, uncertain: [] } }],
      new Set(),
    );
    expect(plain).toContain('Nothing is uncertain.');
    expect(plain).not.toContain('keys from');
  });

  it('says durations and sizes in words that people use', () => {
    expect([500, 2_000, 3_600_000, 21_670_000, 604_800_000].map(duration)).toEqual(['500 ms', '2 s', '1 h', '6 h 1 min 10 s', '7 d']);
    expect([16_384, 1_048_576, 1_572_864].map(size)).toEqual(['16 KiB', '1 MiB', '1.5 MiB']);
  });
});
