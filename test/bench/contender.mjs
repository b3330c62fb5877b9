import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const START_MS = 30_000;

/** Starts one service process and waits for its port. Its other lines go to standard error: none are expected while it works. */
export async function startContender(file, env) {
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} did not start within ${START_MS / 1000} s`)), START_MS);
    gone.then((code) => reject(new Error(`${file} ended with ${code} before it listened`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      let entry;
      try {
        entry = JSON.parse(line);
      } catch {
        entry = {};
      }
      if (entry.what === 'service.listening') {
        clearTimeout(timer);
        resolve(entry.port);
      } else if (entry.level !== 'info') process.stderr.write(`${line}\n`);
    });
  });
  const origin = `http://127.0.0.1:${port}`;
  const metric = async (name) => {
    const text = await (await fetch(`${origin}/metrics`)).text();
    return Number(new RegExp(`^${name}\\S* (\\S+)`, 'm').exec(text)?.[1]);
  };
  return {
    origin,
    async memoryMb() {
      return (await metric('process_resident_memory_bytes')) / 2 ** 20;
    },
    /** Of all its threads, since it started. */
    cpuSeconds: () => metric('process_cpu_seconds_total'),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(timer);
    },
  };
}
