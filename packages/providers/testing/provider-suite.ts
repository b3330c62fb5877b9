import { describe, expect, it } from '@jest/globals';
import { type IngestOutcome, type InboundProvider, MalformedDelivery } from '../src/provider.js';
import { NOW, deliveryMaker } from './delivery-maker.js';
import { provesSender } from './proves-sender.js';
import type { ProviderCase } from './provider-case.js';
import { rawRequest } from './raw-request.js';

/** What every adapter's inbound half must survive, whatever its proof; passing it is what makes an adapter done. */
export function provesProvider(provider: InboundProvider, given: ProviderCase): void {
  provesSender(provider, given);
  saysWhatChanged(provider, given);
  answers(provider, given);
  describe(`${provider.name} says what it is`, () => {
    it('has an id that fits a path, and limits that ingest can keep', () => {
      expect(provider.id).toMatch(/^[a-z][a-z0-9-]{1,31}$/);
      const { maxBodyBytes, answerDeadlineMs, retryHorizonMs } = provider.facts;
      expect([maxBodyBytes, answerDeadlineMs, retryHorizonMs ?? 1].every((limit) => Number.isSafeInteger(limit) && limit > 0)).toBe(true);
      expect(provider.facts.maxBodyBytes).toBeGreaterThan(given.genuine.body.length);
    });

    it('says each thing that an operator must know in a sentence', () => {
      const { uncertain, ...rest } = provider.docs;
      for (const sentence of [...Object.values(rest), ...uncertain]) expect(sentence).toMatch(/^\S.*\.$/);
    });
  });
}

function saysWhatChanged(provider: InboundProvider, given: ProviderCase): void {
  const { delivery } = deliveryMaker(provider, given);
  const read = (body: Buffer) => provider.notices(delivery(NOW, { body }));
  const { genuine, extended, unread, longId, several } = given;

  describe(`${provider.name} says what changed`, () => {
    it('turns a genuine delivery into notices', () => {
      expect(read(genuine.body).notices).toEqual(genuine.notices);
    });

    it('names equal deliveries alike and other deliveries differently', () => {
      expect(read(genuine.body).deliveryId.kind).toBe(given.deliveryId);
      expect(read(Buffer.from(genuine.body)).deliveryId).toEqual(read(genuine.body).deliveryId);
      expect(read(extended.body).deliveryId.value).not.toBe(read(genuine.body).deliveryId.value);
    });

    it('gives a delivery a name that an index can hold', () => {
      for (const body of [genuine.body, extended.body, longId.body]) {
        expect(read(body).deliveryId.value).toMatch(/^[\x21-\x7e]{1,256}$/);
      }
    });

    it('acknowledges a type that it does not read, with no notice', () => {
      expect(read(unread).notices).toEqual([]);
    });

    it('lets the provider add fields', () => {
      expect(read(extended.body).notices).toEqual(extended.notices);
    });

    it('keeps every digit of a 64-bit id', () => {
      expect([...new Set(read(longId.body).notices.map((notice) => notice.subjectId))]).toEqual([longId.subjectId]);
    });

    if (several !== undefined) {
      it('gives each person and item of one delivery its notice, in its order', () => {
        expect(read(several.body).notices).toEqual(several.notices);
      });
    }

    it('complains of a wrong shape by its path, and quotes nothing from the body', () => {
      for (const { body, names } of given.malformed) {
        let detail = 'no complaint';
        try {
          detail = read(body).complaint ?? detail;
        } catch (error) {
          detail = error instanceof MalformedDelivery ? error.detail : String(error);
        }
        expect(detail.startsWith(names) ? names : `${detail} instead of ${names}`).toBe(names);
        expect(detail).not.toMatch(/private/i);
      }
    });

    it('only points at collections that it reads', () => {
      for (const { collection } of [...genuine.notices, ...extended.notices, ...(several?.notices ?? [])]) {
        expect([collection, given.reads(collection)]).toEqual([collection, true]);
      }
    });
  });
}

const usual: Readonly<Record<IngestOutcome, number>> = {
  accepted: 200,
  malformed: 200,
  unauthenticated: 401,
  'too-large': 413,
  unavailable: 503,
  unsupported: 405,
};

function answers(provider: InboundProvider, given: ProviderCase): void {
  const outcomes = Object.keys(usual) as IngestOutcome[];
  describe(`${provider.name} answers`, () => {
    it('in the words that this provider understands', () => {
      const statuses = Object.fromEntries(outcomes.map((outcome) => [outcome, provider.answer(outcome).status]));
      expect(statuses).toEqual({ ...usual, ...given.statuses });
    });

    it('with success to what was taken or can never be read, with failure to what must come again, and never with 410', () => {
      const succeeds = (outcome: IngestOutcome) => Math.floor(provider.answer(outcome).status / 100) === 2;
      expect(outcomes.filter(succeeds).sort()).toEqual(['accepted', 'malformed']);
      expect(provider.answer('unavailable').status).toBeGreaterThanOrEqual(500);
      expect(outcomes.map((outcome) => provider.answer(outcome).status)).not.toContain(410);
    });

    it('with no body where the status allows none', () => {
      for (const outcome of outcomes) {
        const { status, body } = provider.answer(outcome);
        if (status === 204) expect(body).toBeUndefined();
      }
    });

    it('takes only POST as a delivery, and as a probe only what this provider sends', () => {
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const expected = given.probes?.includes(method) ? 'handshake' : 'unsupported';
        expect([method, provider.classify(rawRequest({ method }))]).toEqual([method, expected]);
      }
      const { delivery } = deliveryMaker(provider, given);
      expect(provider.classify(delivery())).toBe('delivery');
    });
  });
}
