import { ConfigError } from '@tributary/service-shell';

/** @throws ConfigError when it is no address that a webhook can be posted to. */
export function targetUrl(option: string, given: string | undefined): string {
  const fault = new ConfigError(`--${option}: give the address of your receiver, such as http://localhost:3000/webhooks`);
  if (given === undefined || !URL.canParse(given)) throw fault;
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fault;
  return url.href;
}
