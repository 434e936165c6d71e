import { randomBytes } from 'node:crypto';
import { createInMemoryRedis } from '@sluice/redis';
import { silentLogger } from '@sluice/telemetry';
import { createEmptyDatabase } from '@sluice/testkit';
import { createContext, createSearchService, searchEnv } from '../src/service';

describe('starting', () => {
  it('stops with a list of every setting it lacks', () => {
    const read = () => searchEnv.read({});
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'SLUICE_CREDENTIALS_KEYS']) expect(read).toThrow(name);
  });

  it('stops on an unmigrated database and names the command', async () => {
    const empty = await createEmptyDatabase();
    const config = searchEnv.read({
      DATABASE_URL: empty.url,
      REDIS_URL: 'redis://127.0.0.1:9',
      SLUICE_PORT: '0',
      SLUICE_METRICS_PORT: '0',
      SLUICE_CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    });
    const service = createSearchService(createContext(config, { logger: silentLogger, redis: createInMemoryRedis() }));
    await expect(service.start()).rejects.toMatchObject({ code: 'service.unmigrated', remedy: 'Run: npm run migrate' });
    await service.stop();
    await empty.drop();
  });
});
