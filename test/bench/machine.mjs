import os from 'node:os';

/** Where the figures come from; `load1` above the number of cores at the start means that others were at work. */
export function machine() {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()} ${os.release()}`,
    node: process.version,
    load1: Number(os.loadavg()[0].toFixed(2)),
  };
}
