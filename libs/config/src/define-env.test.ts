import { randomBytes } from 'node:crypto';
import { ConfigError } from './config-error';
import { defineEnv, readProcessEnv } from './define-env';
import { kafkaEnv, postgresEnv, redisEnv } from './dependency-env';
import { commonEnv, concurrencyEnv, credentialsEnv, portEnv, providersEnv, testingEnv } from './fragments';

const key = randomBytes(32).toString('base64');
const table = defineEnv({
  ...commonEnv,
  ...portEnv(4500),
  ...postgresEnv,
  ...kafkaEnv,
  ...redisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...concurrencyEnv,
  ...testingEnv,
});
const env = {
  DATABASE_URL: 'postgres://sluice:canary@db:5432/sluice',
  KAFKA_BROKERS: 'a:9092, b:9092',
  REDIS_URL: 'redis://r:6379',
  SLUICE_CREDENTIALS_KEYS: `k1:${key}`,
};

function problemsOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error('no ConfigError was thrown');
}

describe('read', () => {
  it('gives typed, frozen values under camelCase keys without the prefix', () => {
    const config = table.read({ ...env, SLUICE_CALL_TIMEOUT_MS: '500', SLUICE_SWEEPS: 'off' });
    const port: number = config.port;
    const brokers: readonly string[] = config.kafkaBrokers;
    const failpoint: string | undefined = config.failpoint;
    expect({ port, brokers, failpoint }).toEqual({ port: 4500, brokers: ['a:9092', 'b:9092'], failpoint: undefined });
    expect(config).toMatchObject({
      databaseUrl: env.DATABASE_URL,
      databasePool: 10,
      callTimeoutMs: 500,
      sweeps: false,
      timeScale: 1,
      concurrency: 256,
      hubspotApiUrl: 'https://api.hubapi.com',
      egressAllow: [],
      logLevel: 'info',
      shutdownMs: 10_000,
      host: '0.0.0.0',
    });
    expect(config.credentialsKeys.currentId).toBe('k1');
    expect(Object.isFrozen(config)).toBe(true);
  });

  // A service that starts lists everything it lacks at once.
  it('lists every problem in one error', () => {
    const error = problemsOf(() => table.read({ SLUICE_PORT: 'abc', SLUICE_TIME_SCALE: '0.5', SLUICE_PROT: '1' }));
    expect(error.problems.map(({ name }) => name).toSorted()).toEqual(
      [
        'DATABASE_URL',
        'KAFKA_BROKERS',
        'REDIS_URL',
        'SLUICE_CREDENTIALS_KEYS',
        'SLUICE_PORT',
        'SLUICE_PROT',
        'SLUICE_TIME_SCALE',
      ].toSorted(),
    );
    expect(error.code).toBe('service.config-invalid');
    expect(error.detail).toMatch(/^7 settings are wrong:/);
    expect(error.detail).toContain('DATABASE_URL is required: a URL of postgres or postgresql. (PostgreSQL');
    expect(error.detail).toContain('SLUICE_PORT=abc must be an integer from 0 to 65535. (Port to listen on');
  });

  it('never falls back to the default for a present value', () => {
    for (const value of ['', ' ', 'x', '1.5', '0x10', '1e3', '+1', '1_000']) {
      const error = problemsOf(() => table.read({ ...env, SLUICE_DATABASE_POOL: value }));
      expect(error.problems).toHaveLength(1);
    }
  });

  it('never shows a secret', () => {
    const error = problemsOf(() =>
      table.read({
        ...env,
        DATABASE_URL: 'mysql://canary',
        SLUICE_CREDENTIALS_KEYS: 'canary-key',
        REDIS_URL: 'canary',
      }),
    );
    expect(error.problems).toHaveLength(3);
    expect(JSON.stringify(error.problems) + error.message).not.toContain('canary');
  });

  it('shows a value that is not secret, shortened', () => {
    const error = problemsOf(() => table.read({ ...env, SLUICE_LOG_LEVEL: 'x'.repeat(500) }));
    expect(error.problems[0]).toMatchObject({ name: 'SLUICE_LOG_LEVEL', value: 'x'.repeat(500) });
    expect(error.detail.length).toBeLessThan(300);
  });

  it.each([
    ['SLUICE_TIME_SCALE', '60'],
    ['SLUICE_FAILPOINT', 'ex.after_claim:exit9:1'],
  ])('refuses %s=%s in production only', (name, value) => {
    const error = problemsOf(() => table.read({ ...env, NODE_ENV: 'production', [name]: value }));
    expect(error.problems[0]?.rule).toMatch(/tests only/);
    expect(() => table.read({ ...env, NODE_ENV: 'test', [name]: value })).not.toThrow();
  });

  it('takes the default of a test-only setting in production', () => {
    expect(table.read({ ...env, NODE_ENV: 'production', SLUICE_TIME_SCALE: '1' }).timeScale).toBe(1);
  });

  it('refuses two names with one key', () => {
    expect(() => defineEnv({ A_B: { type: 'boolean', doc: 'd' }, SLUICE_A_B: { type: 'boolean', doc: 'd' } })).toThrow(
      /share the key aB/,
    );
  });
});

describe('names in no table', () => {
  const small = defineEnv({ SLUICE_OWN_SETTING: { type: 'integer', default: 1, doc: 'd' } });

  it.each([
    ['SLUICE_PROT', 'SLUICE_PORT'],
    ['SLUICE_OWN_SETING', 'SLUICE_OWN_SETTING'],
  ])('%s: did you mean %s', (name, nearest) => {
    expect(problemsOf(() => small.read({ [name]: '1' })).detail).toContain(`did you mean ${nearest}?`);
  });

  it('names none when none is near', () => {
    expect(problemsOf(() => small.read({ SLUICE_SOMETHING_ELSE_ALTOGETHER: '1' })).detail).toContain(
      'is not a setting of any service',
    );
  });

  // One environment serves all services, the launcher included.
  it('accepts names of other tables, fragments and the launcher', () => {
    defineEnv({ SLUICE_OTHER_TABLE: { type: 'boolean', default: false, doc: 'd' } });
    const others = {
      SLUICE_OTHER_TABLE: 'on',
      SLUICE_ADMIN_KEY: 'x',
      SLUICE_DATA_DIR: '/d',
      SLUICE_PORT_BASE: '4000',
      SLUICE_NO_INSTALL: '1',
      OTEL_SERVICE_NAME: 'x',
    };
    expect(small.read(others).ownSetting).toBe(1);
  });

  // Kubernetes injects such names for each Service; ours start with `sluice-`.
  it('ignores service links', () => {
    const links = {
      SLUICE_SEARCH_SERVICE_HOST: '10.0.0.1',
      SLUICE_SEARCH_SERVICE_PORT_HTTP: '4200',
      SLUICE_SEARCH_PORT: 'tcp://10.0.0.1:4200',
      SLUICE_SEARCH_PORT_4200_TCP_ADDR: '10.0.0.1',
    };
    expect(small.read(links).ownSetting).toBe(1);
  });

  it('leaves the names of the sandbox to the process that runs it', () => {
    expect(small.read({ SLUICE_SANDBOX_LAG_MS: '1' }).ownSetting).toBe(1);
    defineEnv({ SLUICE_SANDBOX_LEDGER: { type: 'string', optional: true, doc: 'd' } });
    expect(problemsOf(() => small.read({ SLUICE_SANDBOX_LEDGR: 'x' })).detail).toContain('SLUICE_SANDBOX_LEDGER?');
  });
});

describe('start-up description', () => {
  it('gives each setting as text and no secret', () => {
    const values = table.read({
      ...env,
      HUBSPOT_API_URL: 'http://user:canary@127.0.0.1:4600',
      SLUICE_EGRESS_ALLOW: '10.0.0.0/8,fd00::/8',
    });
    const described = table.describe(values);
    expect(described).toMatchObject({
      DATABASE_URL: 'set',
      SLUICE_CREDENTIALS_KEYS: 'set',
      HUBSPOT_API_URL: 'http://[secret]@127.0.0.1:4600',
      SLUICE_EGRESS_ALLOW: '10.0.0.0/8,fd00::/8',
      SLUICE_PORT: '4500',
      SLUICE_SWEEPS: 'on',
      SLUICE_FAILPOINT: 'unset',
    });
    expect(Object.keys(described)).toEqual(Object.keys(table.fields));
    expect(JSON.stringify(described)).not.toContain('canary');
  });
});

it('copies the environment of the process', () => {
  const copy = readProcessEnv();
  copy['SLUICE_TEST_COPY'] = '1';
  expect(readProcessEnv()['SLUICE_TEST_COPY']).toBeUndefined();
  expect(readProcessEnv()['PATH']).toBe(copy['PATH']);
});
