import type { StepResult } from './story/tell.js';
import type { Step } from './story/steps.js';

export interface Places {
  readonly api: string;
  readonly ingest: string;
  readonly sandbox: string;
  readonly receiver: string;
}

/** hasColors() knows NO_COLOR and dumb terminals; a pipe is no terminal and has no such function. */
const colour = process.stdout.isTTY && process.stdout.hasColors();
const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

export function printIntroduction(places: Places, seconds: number): void {
  console.log(`Up after ${seconds.toFixed(1)} s.

  provider ──▶ ingest ──▶ worker ──▶ outbound ──▶ your receiver
  ${places.sandbox} plays the provider, ${places.receiver} the customer.
`);
}

export function printStep(number: number, step: Step, result: StepResult): void {
  const mark = result.ok ? paint(32, '✓') : paint(31, '✗');
  const counts = Object.entries(result.counts)
    .map(([name, value]) => `${words(name)} ${value}`)
    .join(', ');
  console.log(
    `${mark} ${String(number).padStart(2)}  ${step.title.padEnd(58)} ${paint(2, `${String(result.ms).padStart(5)} ms   ${counts}`)}`,
  );
  if (result.fault !== undefined) console.log(`      ${result.fault}`);
}

export interface Outro {
  readonly ok: boolean;
  readonly seconds: number;
  readonly firstEventSeconds: number | null;
  readonly places: Places;
  readonly apiKey: string;
  readonly stays: boolean;
  readonly logs: string;
}

export function printOutro({ ok, seconds, firstEventSeconds, places, apiKey, stays, logs }: Outro): void {
  console.log(
    `\n${ok ? paint(32, 'Every step held.') : paint(31, 'Not every step held.')} First event after ${firstEventSeconds ?? '–'} s, all told in ${seconds} s.`,
  );
  if (!stays) return;
  console.log(`
  API and its documentation   ${places.api}/docs
  Sandbox provider            ${places.sandbox}
  What the receiver holds     ${places.receiver}/state
  Logs                        ${logs}

  curl -H 'authorization: Bearer ${apiKey}' ${places.api}/v1/events

Ctrl-C stops everything; the data stays for the next start.`);
}

/** `failedAttempts` → `failed attempts` */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
