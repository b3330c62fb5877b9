import { z } from 'zod';
import { idOf, instant } from '../answers/fields.js';

const version = z.iso.datetime({ precision: 6 });

/** Why a record is as it is: everything that led to it, and nothing of what was in it or in a body. */
export const explanation = z
  .object({
    reasons: z.array(z.string()).describe('In words, most important first.'),
    value: z.object({
      revision: z.int(),
      deleted: z.boolean(),
      deleteReason: z.string().nullable(),
      version: version.describe('What orders this state among others of the record.'),
      inferred: z.boolean().describe('The version is ours: the provider gives none, or none that could be believed.'),
      providerVersion: version.nullable(),
      clockDomain: z.string().nullable().describe('Whose clock made the version.'),
      versionEpoch: z.int().describe('How often that clock has run backwards.'),
      provisional: z.boolean(),
      unsettled: z.boolean().describe('Another read was asked for, since two looks have no order.'),
      doubted: z.boolean().describe('Another state was seen once, and must be seen again before it counts.'),
      contentHash: z.string().describe('SHA-256 of the content, hexadecimal.'),
      normalizerVersion: z.int(),
      createdAt: instant(),
      updatedAt: instant(),
    }),
    date: z.object({
      localDate: z.iso.date(),
      dateBasis: z.string(),
      dayModel: z.string(),
      utcOffsetS: z.int().nullable(),
      timeZone: z.string().nullable(),
      providerDate: z.iso.date().nullable().describe("The provider's own label, where it is another day."),
    }),
    look: z.object({
      connectionId: idOf('con'),
      collection: z.string().nullable().describe("The provider's own name of what was read."),
      documentId: z.string(),
      via: z.string().describe('`pull`: we read it. `push`: it came in a webhook.'),
      complete: z.boolean(),
      trueFrom: instant().describe('Between these two moments the provider held this state.'),
      trueTo: instant(),
      coverageEnd: instant().nullable().describe('End of the last sample that the value is made of.'),
      coverage: z.number().nullable(),
      takenAt: instant().nullable(),
    }),
    event: z
      .object({
        id: idOf('evt'),
        type: z.string(),
        occurredAt: instant(),
        deliveries: z.array(z.object({ endpointId: z.string(), state: z.string(), attempts: z.int(), endedAt: instant().nullable() })),
      })
      .nullable()
      .describe('What told of this revision; null once it was dropped for its age.'),
    reads: z.array(
      z.object({
        window: z.object({ kind: z.string(), start: z.string(), end: z.string() }),
        state: z.string(),
        class: z.enum(['live', 'backfill', 'sweep']),
        notices: z.int(),
        fetches: z.int(),
        attempts: z.int(),
        readAt: version.nullable().describe('Start of the newest finished read.'),
        requestedVersion: version.nullable(),
        coveredVersion: version.nullable(),
        waitsAgain: z.boolean().describe('A notice came while it was read.'),
        lastError: z.string().nullable(),
        firstRequestedAt: instant(),
        dueAt: instant(),
        settledAt: instant().nullable(),
      }),
    ),
    notices: z.array(
      z.object({
        kind: z.string(),
        status: z.string(),
        window: z.object({ kind: z.string(), start: z.string(), end: z.string() }),
        version: version.nullable(),
        receivedAt: instant(),
        delivery: z.object({
          receivedAt: instant(),
          signedAt: instant().nullable(),
          grade: z.string().describe('How much the proof of the delivery proves.'),
          bodyHash: z.string().describe('SHA-256 of the exact bytes, hexadecimal.'),
          bodyKept: z.boolean(),
        }),
      }),
    ),
    absences: z.array(z.object({ firstLackedAt: instant(), confirmed: z.boolean() })),
    deadLetters: z.array(
      z.object({ id: z.string(), bucket: z.string(), code: z.string(), openedAt: instant(), closedAt: instant().nullable() }),
    ),
  })
  .meta({ id: 'Explanation' });

export type Explanation = z.infer<typeof explanation>;
