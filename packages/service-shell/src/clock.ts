/** The only place that asks what time it is; everything that decides is handed the answer. Epoch milliseconds. */
export type Clock = () => number;
export const systemClock: Clock = () => Date.now();
