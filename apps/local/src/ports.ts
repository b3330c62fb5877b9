import net from 'node:net';
import { ConfigError } from '@tributary/service-shell';
import { type PortVariable, defaultPorts } from './local.config.js';

/**
 * One port for each process. A port that was asked for and is taken is an error that names its variable; a default that is taken
 * gives way to a free one, so that two checkouts can run side by side.
 */
export async function choosePorts(asked: Readonly<Partial<Record<PortVariable, number>>>): Promise<Record<PortVariable, number>> {
  const chosen = {} as Record<PortVariable, number>;
  const wishes = Object.entries(asked).filter(([, wanted]) => wanted !== 0);
  for (const [variable, wanted] of wishes) {
    const first = wishes.find(([, other]) => other === wanted)?.[0];
    if (first !== variable)
      throw new ConfigError(`${first} and ${variable} are both ${wanted}. Set one of them to another port, or to 0 for any.`);
  }
  const reserved = new Set(Object.values(asked));
  for (const variable of Object.keys(defaultPorts) as PortVariable[]) {
    const wanted = asked[variable];
    if (wanted !== undefined && wanted !== 0 && !(await isFree(wanted))) {
      throw new ConfigError(`Port ${wanted} is in use by another program. Set ${variable} to a free port, or to 0 for any.`);
    }
    chosen[variable] = wanted
      ? wanted
      : await freePort(wanted === 0 ? 0 : defaultPorts[variable], new Set([...reserved, ...Object.values(chosen)]));
  }
  return chosen;
}

const listenOn = (port: number) =>
  new Promise<number | undefined>((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const { port: got } = server.address() as net.AddressInfo;
      server.close(() => resolve(got));
    });
  });

const isFree = async (port: number) => (await listenOn(port)) !== undefined;

async function freePort(preferred: number, taken: ReadonlySet<number>): Promise<number> {
  if (preferred !== 0 && !taken.has(preferred) && (await isFree(preferred))) return preferred;
  for (;;) {
    const port = await listenOn(0);
    if (port !== undefined && !taken.has(port)) return port;
  }
}
