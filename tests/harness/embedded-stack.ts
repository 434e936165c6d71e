import { PassThrough } from 'node:stream';
import { createEmbeddedServices } from '@sluice/local';
import { createSandbox } from '@sluice/sandbox';
import { silentLogger } from '@sluice/telemetry';
import { cloneDatabase } from '@sluice/testkit';
import type { Addresses } from './addresses';
import { freePortBase } from './free-port-base';
import { adminKey, processEnvironment, type StackOptions } from './stack';

/** The services and the sandbox inside this process, on the real Postgres: what `npm start` runs, without its demo and tour. */
export interface EmbeddedStack extends Addresses {
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

export async function startEmbeddedStack(
  options: Pick<StackOptions, 'timeScale' | 'env'> = {},
): Promise<EmbeddedStack> {
  const portBase = await freePortBase();
  const urlAt = (distance: number) => `http://127.0.0.1:${portBase + distance}`;
  const database = await cloneDatabase();
  const sandbox = await createSandbox({ port: portBase + 600, host: '127.0.0.1', logger: silentLogger });
  const inside = { ...options.env, KAFKA_BROKERS: 'in-process:1', REDIS_URL: 'redis://in-process' };
  const services = createEmbeddedServices({
    portBase,
    env: processEnvironment({ ...options, env: inside }, { databaseUrl: database.url, providerUrl: urlAt(600) }),
    logLevel: 'silent',
    logStream: new PassThrough().resume(),
  });
  for (const service of services) await service.start();
  return {
    portBase,
    databaseUrl: database.url,
    adminKey,
    baseUrl: `${urlAt(100)}/v1`,
    searchUrl: `${urlAt(200)}/v1`,
    writeUrl: `${urlAt(300)}/v1`,
    sandboxUrl: urlAt(600),
    stop: async () => {
      for (const service of services.toReversed()) await service.stop();
      await sandbox.close();
      await database.drop();
    },
  };
}
