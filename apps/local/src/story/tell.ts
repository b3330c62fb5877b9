import { type Cast, type Step, steps } from './steps.js';
import { hostileSteps } from './hostile-steps.js';
import { Stage, type StageSettings } from './stage.js';

export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly counts: Readonly<Record<string, number | string | boolean>>;
  readonly fault?: string;
}

export interface StoryResult {
  readonly ok: boolean;
  readonly steps: readonly StepResult[];
  /** Epoch milliseconds at which the customer had verified its first event; undefined when none came. */
  readonly firstEventAt: number | undefined;
}

export const story: readonly Step[] = [...steps, ...hostileSteps];

/** Runs every step in order; a step that fails is told and the next ones are tried all the same, unless nothing is connected. */
export async function tellStory(settings: StageSettings, onStep: (step: Step, result: StepResult) => void): Promise<StoryResult> {
  const stage = new Stage(settings);
  const cast = {} as Cast;
  const results: StepResult[] = [];
  let firstEventAt: number | undefined;
  try {
    for (const step of story) {
      const begin = performance.now();
      const result = await step.run(stage, cast).then(
        (counts) => ({ name: step.name, ok: true, ms: Math.round(performance.now() - begin), counts }),
        (error: unknown) => ({
          name: step.name,
          ok: false,
          ms: Math.round(performance.now() - begin),
          counts: {},
          fault: (error as Error).message,
        }),
      );
      if (step.name === 'connected' && result.ok) firstEventAt = Date.now();
      results.push(result);
      onStep(step, result);
      if (step.name === 'connected' && !result.ok) break;
    }
  } finally {
    await stage.close();
  }
  return { ok: results.length === story.length && results.every(({ ok }) => ok), steps: results, firstEventAt };
}
