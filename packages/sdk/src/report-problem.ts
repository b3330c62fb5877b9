import { type Problem } from './receiver-outcome.js';

/** A report that throws must not turn a handled event into a failed one. */
export function guarded<T>(report: (what: T) => void): (what: T) => void {
  return (what) => {
    try {
      report(what);
    } catch {
      // Nobody is left to tell.
    }
  };
}

export function writeProblem(problem: Problem): void {
  const what =
    problem.is === 'refused'
      ? [`Tributary: refused a request (${problem.error.code}). ${problem.error.message}`]
      : [`Tributary: failed at ${problem.stage}${problem.event ? ` of ${problem.event.type} ${problem.event.id}` : ''}.`, problem.error];
  // eslint-disable-next-line no-console -- the last resort of a library: silence would leave its user with a bare 500
  console.error(...what);
}

export function atMostEvery(ms: number, now: () => number): () => boolean {
  let next = -Infinity;
  return () => {
    if (now() < next) return false;
    next = now() + ms;
    return true;
  };
}
