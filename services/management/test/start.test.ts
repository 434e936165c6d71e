import { randomBytes } from 'node:crypto';
import { silentLogger } from '@sluice/telemetry';
import { createEmptyDatabase } from '@sluice/testkit';
import { createContext, createManagementService, managementEnv } from '../src/service';

const env = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  SLUICE_PORT: '0',
  SLUICE_METRICS_PORT: '0',
  SLUICE_CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SLUICE_ADMIN_KEY: 'bootstrap-key-of-the-tests',
};

describe('starting', () => {
  it('stops with a list of every setting it lacks', () => {
    const names = ['DATABASE_URL', 'SLUICE_CREDENTIALS_KEYS', 'SLUICE_ADMIN_KEY'];
    const read = () => managementEnv.read({});
    for (const name of names) expect(read).toThrow(name);
  });

  it('stops on an unmigrated database and names the command', async () => {
    const empty = await createEmptyDatabase();
    const config = managementEnv.read({ ...env, DATABASE_URL: empty.url });
    const service = createManagementService(createContext(config, { logger: silentLogger }));
    await expect(service.start()).rejects.toMatchObject({ code: 'service.unmigrated', remedy: 'Run: npm run migrate' });
    await service.stop();
    await empty.drop();
  });
});
