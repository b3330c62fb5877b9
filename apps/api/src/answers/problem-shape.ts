import { problemCodes } from '@tributary/domain';
import { z } from 'zod';

/** RFC 9457, with a stable `code` to write programs against. */
export const problemShape = z
  .object({
    type: z.string().describe('`/problems/<code>`, where the code is explained.'),
    title: z.string(),
    status: z.int(),
    code: z.enum(problemCodes),
    detail: z.string().describe('What happened, where, and what to do.'),
    faults: z.array(z.object({ path: z.string(), message: z.string() })).describe('One entry for each faulty field.'),
    requestId: z.string().describe('Name it when you ask us about this answer.'),
  })
  .meta({ id: 'Problem' });
