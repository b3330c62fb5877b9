import { z } from 'zod';
import type { Command } from './command.js';
import { reachApi, reachUsage } from './reach-api.js';
import { readOptions } from './read-options.js';

const usage = `Usage: tributary replay-dead-letters [filters] [--dry-run] [--json]

Reads the windows of open dead letters again, until none is left that can be. Those that only a person can mend are left alone.

  --bucket NAME       transient or drift (default: both)
  --provider NAME     of this provider only
  --code CODE         with this code only
  --before TIME       opened before this time (ISO 8601)
  --dry-run           count, and read nothing
  --json              print one JSON object: matched, replayed, left

${reachUsage}`;

const answerShape = z.object({
  matched: z.int(),
  replayed: z.int(),
  remaining: z.int(),
  left: z.record(z.string(), z.int()),
});

export const replayDeadLetters: Command = {
  name: 'replay-dead-letters',
  summary: 'read the windows of open dead letters again',
  usage,
  async run(args, env) {
    const wish = readOptions(
      args,
      {
        bucket: { type: 'string' },
        provider: { type: 'string' },
        code: { type: 'string' },
        before: { type: 'string' },
        'dry-run': { type: 'boolean' },
        json: { type: 'boolean' },
      },
      usage,
    );
    const dryRun = wish['dry-run'] ?? false;
    const api = reachApi(env);
    const filter = { bucket: wish.bucket, provider: wish.provider, code: wish.code, openedBefore: wish.before, dryRun };
    let replayed = 0;
    for (;;) {
      const answer = answerShape.parse(await api.call('POST', '/v1/dead-letters/replay', filter));
      replayed += answer.replayed;
      if (!dryRun && answer.remaining > 0 && answer.replayed > 0) continue;
      const { matched, left } = answer;
      if (wish.json) console.log(JSON.stringify({ matched, replayed, left }));
      else {
        console.log(`${replayed} windows ${dryRun ? 'would be' : 'are'} read again.`);
        for (const [why, count] of Object.entries(left)) if (count > 0) console.log(`${count} are left alone: ${why}.`);
      }
      return;
    }
  },
};
