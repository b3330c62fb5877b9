#!/usr/bin/env node
import { ConfigError, startFailure } from '@tributary/service-shell';
import { bootstrap } from './cli/bootstrap.js';
import type { Command } from './cli/command.js';
import { listen } from './cli/listen.js';
import { replayDeadLetters } from './cli/replay-dead-letters.js';
import { reseal } from './cli/reseal.js';
import { sendTest } from './cli/send-test.js';

const commands: readonly Command[] = [bootstrap, reseal, replayDeadLetters, listen, sendTest];

const overview = `Usage: tributary COMMAND [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join('\n')}

tributary COMMAND --help says more of one.`;

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(overview);
    if (name === undefined) process.exitCode = 2;
    return;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new ConfigError(`There is no command "${name}".\n\n${overview}`);
  if (args.includes('--help') || args.includes('-h')) console.log(command.usage);
  else await command.run(args, process.env);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { message, exitCode } = startFailure('tributary', error);
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
