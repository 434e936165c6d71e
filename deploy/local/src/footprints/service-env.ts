import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalSettings } from '@sluice/stack';
import { addressesOf, hasMetrics, metricsDistance, type ProcessName, servicePorts } from '../service-ports';
import type { FootprintOptions } from './footprint';

export interface ServiceEnvOptions extends Pick<FootprintOptions, 'secrets' | 'withSandbox'> {
  readonly settings: Pick<LocalSettings, 'env' | 'portBase'>;
  readonly databaseUrl: string;
  readonly kafkaBrokers: string;
  readonly redisUrl: string;
}

/**
 * The environment of a launcher that runs for this machine only, where webhooks may go to programs beside it unless the environment says
 * otherwise. Not for the image, which has callers from elsewhere.
 */
export function withLocalWebhooks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, SLUICE_WEBHOOK_EGRESS_ALLOW: env['SLUICE_WEBHOOK_EGRESS_ALLOW'] ?? '127.0.0.1/32' };
}

/** The environment of a local service: ours, with the launcher's settings. Every service reads the settings that it needs. */
export function serviceEnv(options: ServiceEnvOptions): Record<string, string> {
  const { settings, secrets, withSandbox, databaseUrl, kafkaBrokers, redisUrl } = options;
  const given = Object.entries(settings.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    // Developers restart services all day, and have no callers that must not notice.
    SLUICE_IDLE_GRACE_MS: '250',
    ...Object.fromEntries(given),
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: kafkaBrokers,
    REDIS_URL: redisUrl,
    SLUICE_ADMIN_KEY: secrets.adminKey,
    SLUICE_CREDENTIALS_KEYS: secrets.credentialsKeys,
    ...(withSandbox ? sandboxUrls(addressesOf(settings.portBase).sandboxUrl) : {}),
  };
}

/** Every provider is the sandbox, those that are files too: a key that is typed into the demo stays on this machine. */
function sandboxUrls(url: string) {
  return {
    HUBSPOT_API_URL: url,
    SALESFORCE_LOGIN_URL: url,
    SALESFORCE_INSTANCE_URL: url,
    SLUICE_PROVIDERS_URL: `${url}/rest`,
  };
}

/** Where the pages of management find the other APIs, unless the environment says otherwise. */
export function publicEnv(portBase: number): Record<string, string> {
  const url = (name: ProcessName) => `http://127.0.0.1:${portBase + servicePorts[name]}`;
  return { SLUICE_PUBLIC_SEARCH_URL: url('search'), SLUICE_PUBLIC_WRITE_URL: url('write-gateway') };
}

/** Where one of them listens. */
export function listenEnv(portBase: number, name: ProcessName): Record<string, string> {
  const port = portBase + servicePorts[name];
  const own = { SLUICE_PORT: String(port), SLUICE_HOST: '127.0.0.1' };
  return hasMetrics(name) ? { ...own, SLUICE_METRICS_PORT: String(port + metricsDistance) } : own;
}

/** File of the records that the sandbox was sent, so that the CRM survives a `kill -9` as a real one would. */
export function sandboxJournal(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, 'sandbox.jsonl');
}

/** What the sandbox as a process needs besides the rest; nothing for the others. */
export function journalEnv(name: ProcessName, folder: string): Record<string, string> {
  return name === 'sandbox' ? { SLUICE_SANDBOX_LEDGER: sandboxJournal(folder) } : {};
}
