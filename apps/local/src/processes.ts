import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '@tributary/service-shell';

export interface ProcessPlan {
  readonly name: string;
  /** Path of the script from the root of the repository. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Answers 2xx once the process can do its work. */
  readonly readyUrl: string;
}

/**
 * Starts processes and keeps them: one that dies is started again after a short wait, since everything it held is a lease that
 * ends. The channel to each child ends with us, so that no process outlives a killed parent.
 */
export class Processes {
  readonly #children = new Map<string, ChildProcess>();
  #stopping = false;
  restarts = 0;

  constructor(
    private readonly root: string,
    private readonly logs: string,
    private readonly onChange: (pids: Record<string, number>) => void,
  ) {}

  /**
   * Resolves when the process answers. @throws with the end of its log when it ends before that, or takes over a minute; the
   * signal's reason when that says to stop.
   */
  async start(plan: ProcessPlan, signal: AbortSignal): Promise<void> {
    const from = statSync(this.#logFile(plan), { throwIfNoEntry: false })?.size ?? 0;
    const child = this.#spawn(plan);
    let started = false;
    child.once('message', () => {
      started = true;
    });
    const until = Date.now() + 60_000;
    while (!started || !(await answers(plan.readyUrl))) {
      signal.throwIfAborted();
      if (child.exitCode !== null || child.signalCode !== null) throw this.#startProblem(plan, from, child.exitCode);
      if (Date.now() > until) throw new Error(`${plan.name} does not answer at ${plan.readyUrl}; its log ends:\n${this.#said(plan, from)}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    child.once('exit', () => this.#revive(plan));
  }

  pids(): Record<string, number> {
    return Object.fromEntries([...this.#children].flatMap(([name, { pid }]) => (pid === undefined ? [] : [[name, pid]])));
  }

  /** SIGTERM to all, then waits; what has not drained in 20 seconds is killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#children.values()].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((resolve) => {
          child.once('exit', resolve);
        });
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
        await gone;
        clearTimeout(timer);
      }),
    );
  }

  #spawn(plan: ProcessPlan): ChildProcess {
    const log = openSync(this.#logFile(plan), 'a');
    const child = spawn(process.execPath, ['--enable-source-maps', path.join(this.root, plan.script)], {
      cwd: this.root,
      env: { ...process.env, ...plan.env },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#children.set(plan.name, child);
    this.onChange(this.pids());
    return child;
  }

  #revive(plan: ProcessPlan): void {
    if (this.#stopping) return;
    this.restarts += 1;
    setTimeout(() => {
      if (this.#stopping) return;
      this.#spawn(plan).once('exit', () => this.#revive(plan));
    }, 200);
  }

  /** What a process said to a person needs no frame around it. */
  #startProblem(plan: ProcessPlan, from: number, exitCode: number | null): Error {
    const said = this.#said(plan, from);
    const plain = said
      .split('\n')
      .filter((line) => !line.startsWith('{'))
      .join('\n');
    if (exitCode === 2 && plain !== '') return new ProcessRefusal(plain);
    return new Error(`${plan.name} did not start:\n${plain === '' ? said : plain}`);
  }

  #logFile = ({ name }: ProcessPlan) => path.join(this.logs, `${name}.log`);

  /** The end of what this run wrote to its log. */
  #said(plan: ProcessPlan, from: number): string {
    const lines = readFileSync(this.#logFile(plan)).subarray(from).toString().trimEnd().split('\n');
    return lines.slice(-12).join('\n');
  }
}

/** A process would not start with what it was told; its message is what it said, for a person to read. */
export class ProcessRefusal extends ConfigError {
  /** Another program was quicker to take the port. */
  readonly portTaken = / Port \d+ is in use /.test(this.message);
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}
