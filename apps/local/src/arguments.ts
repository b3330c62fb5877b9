import { ConfigError } from '@tributary/service-shell';

/** How the person asked for it. */
export interface Arguments {
  /** Run the story, stop everything, exit 0 only if every step held. */
  readonly once: boolean;
  /** Print one JSON object as the last line instead of the readable story. */
  readonly json: boolean;
  readonly help: boolean;
}

export const usage = `npm start [-- --once] [-- --json]

  (nothing)   start everything, tell the story, stay up until Ctrl-C
  --once      tell the story and stop; exit code 0 only if every step held
  --json      print one JSON object as the last line
  --help      this

Variables: DATABASE_URL, REDIS_URL, TRIBUTARY_DATA_DIR, TRIBUTARY_KEYS, API_PORT, INGEST_PORT, WORKER_PORT, OUTBOUND_PORT,
SANDBOX_PORT, RECEIVER_PORT, LOG_LEVEL.`;

/** @throws ConfigError naming the argument that is not known. */
export function readArguments(argv: readonly string[]): Arguments {
  const known = new Set(['--once', '--json', '--help']);
  const unknown = argv.find((argument) => !known.has(argument));
  if (unknown !== undefined) throw new ConfigError(`Unknown argument ${unknown}.\n\n${usage}`);
  return { once: argv.includes('--once'), json: argv.includes('--json'), help: argv.includes('--help') };
}
