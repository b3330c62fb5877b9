import { fork } from 'node:child_process';
import path from 'node:path';
import { median } from '../median.mjs';

const sizes = { b512: 512, b4096: 4_096, b65536: 65_536 };
const names = ['node', 'webCrypto', 'standardwebhooks', 'svix', 'stripe'];

/** Rounds of all contenders in turn, each in a process of its own; ratios are of one round, then their median. */
export async function measureVerify({ rounds, milliseconds, say, stops }) {
  const contenders = Object.fromEntries(names.map((who) => [who, startContender(who)]));
  for (const { stop } of Object.values(contenders)) stops.push(stop);
  const ratios = { vsStandardWebhooks: {}, vsSvix: {}, vsStripe: {} };
  const micros = {};
  for (const [size, bytes] of Object.entries(sizes)) {
    const samples = Object.fromEntries(names.map((who) => [who, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (let step = 0; step < names.length; step += 1) {
        const who = names[(step + round) % names.length];
        samples[who].push(await contenders[who].perSecond({ bytes, milliseconds }));
      }
    }
    const against = (who) => Number(median(samples.node.map((ours, round) => ours / samples[who][round])).toPrecision(4));
    ratios.vsStandardWebhooks[size] = against('standardwebhooks');
    ratios.vsSvix[size] = against('svix');
    ratios.vsStripe[size] = against('stripe');
    micros[size] = Object.fromEntries(names.map((who) => [who, Number((1e6 / median(samples[who])).toPrecision(4))]));
    const figures = Object.entries(micros[size]).map(([who, us]) => `${who} ${us} µs`);
    say(`verify ${size}: ${figures.join('  ')}`);
  }
  return { ratios, micros };
}

function startContender(name) {
  const child = fork(path.join(import.meta.dirname, 'verify-contender.mjs'), [name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    perSecond: (wish) =>
      new Promise((resolve, reject) => {
        child.once('message', ({ result, error }) => (error === undefined ? resolve(result) : reject(new Error(error))));
        child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
        child.send(wish);
      }).finally(() => child.removeAllListeners('exit')),
    stop: async () => void child.kill(),
  };
}
