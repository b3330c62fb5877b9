import type { Resolution } from '@tributary/storage';
import { z } from 'zod';

const sourceRef = z.object({
  provider: z.string(),
  sourceId: z.string(),
  recordId: z.string().nullable().describe('Of sessions and measurements theirs; null where a source has one of a day.'),
});

/** How a row of the resolved view was picked. */
export const resolution = z
  .object({
    picked: sourceRef.describe('Whose row is shown. It is shown as it is, except where `derivation` says that the value was computed.'),
    rule: z.enum(['platform_merged', 'priority', 'hysteresis', 'latest', 'cluster', 'per_span', 'intraday']),
    derivation: z
      .literal('computed')
      .optional()
      .describe(
        'The value is no source’s own: of each quarter of an hour it has what the best source with samples there counted. Absent: the value is the picked row’s.',
      ),
    quarters: z
      .array(sourceRef.extend({ count: z.int().min(1) }))
      .optional()
      .describe('Of a computed value: how many quarters of an hour are of which source, best source first.'),
    candidates: z
      .array(
        sourceRef.extend({
          skipped: z
            .enum(['echo', 'not_merged', 'low_coverage', 'other_interval', 'also_recorded'])
            .nullable()
            .describe('Why it could not be picked; null: it could.'),
          echoOf: sourceRef.nullable().describe('The row that it repeats.'),
        }),
      )
      .describe('Best first.'),
    challenger: sourceRef.nullable().describe('On an open day: who takes over when the lead lasts.'),
    spans: z
      .array(z.object({ from: z.iso.datetime({ precision: 3 }), to: z.iso.datetime({ precision: 3 }), picked: sourceRef }))
      .optional()
      .describe('Of series: whose samples stand for which part of the day.'),
    resolverVersion: z.int().describe('Raised when the rules change.'),
  })
  .meta({ id: 'Resolution' });

/** What a list may be asked for beside the sources themselves. */
export const viewField = {
  view: z
    .enum(['source', 'resolved'])
    .default('source')
    .describe(
      '`source`: every source by itself. `resolved`: of all sources the one that stands for the day (for steps also what several sources of one provider counted at different times), with the revisions of that view.',
    ),
};

/** A field of every entry, in the resolved view only. */
export const resolutionField = { resolution: resolution.optional().describe('How this row was picked; in the resolved view only.') };

/** A row that is shown has one that was picked, so neither is missing. */
export function showResolution(stored: Resolution): { resolution: z.infer<typeof resolution> } {
  const { picked, rule, derivation, quarters, candidates, challenger, spans, resolverVersion } = stored;
  if (picked === null || rule === 'nothing') throw new Error('A row of the resolved view is shown that has no source');
  return {
    resolution: {
      picked: { ...picked },
      rule,
      ...(derivation && { derivation }),
      ...(quarters && { quarters: quarters.map((one) => ({ ...one })) }),
      candidates: candidates.map((one) => ({ ...one })),
      challenger: challenger && { ...challenger },
      ...(spans && { spans: spans.map((span) => ({ ...span })) }),
      resolverVersion,
    },
  };
}
