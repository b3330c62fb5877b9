import type { PortVariable } from './local.config.js';
import type { ProcessPlan } from './processes.js';

export interface PlanInput {
  readonly ports: Readonly<Record<PortVariable, number>>;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly keys: string;
  readonly logLevel: string;
}

/** Which processes run on this machine, and what each is told. */
export function planOf({ ports, databaseUrl, redisUrl, keys, logLevel }: PlanInput): ProcessPlan[] {
  const url = (variable: PortVariable) => `http://127.0.0.1:${ports[variable]}`;
  const env: Record<string, string> = {
    HOST: '127.0.0.1',
    LOG_LEVEL: logLevel,
    DATABASE_URL: databaseUrl,
    TRIBUTARY_KEYS: keys,
    TRIBUTARY_SANDBOX_URL: url('SANDBOX_PORT'),
    PUBLIC_API_URL: url('API_PORT'),
    PUBLIC_INGEST_URL: url('INGEST_PORT'),
    // The demo receiver lives on this machine; nobody else's network is opened.
    OUTBOUND_ALLOW_NETWORKS: '127.0.0.1/32',
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
  };
  const app = (name: string, variable: PortVariable): ProcessPlan => ({
    name,
    script: `apps/${name}/dist/main.js`,
    env: { ...env, [variable]: String(ports[variable]) },
    readyUrl: `${url(variable)}/health/ready`,
  });
  return [
    app('api', 'API_PORT'),
    app('ingest', 'INGEST_PORT'),
    app('worker', 'WORKER_PORT'),
    app('outbound', 'OUTBOUND_PORT'),
    app('sandbox', 'SANDBOX_PORT'),
    { ...app('receiver', 'RECEIVER_PORT'), script: 'apps/local/dist/receiver/main.js' },
  ];
}
