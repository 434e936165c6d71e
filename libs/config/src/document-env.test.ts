import { randomBytes } from 'node:crypto';
import { defineEnv } from './define-env';
import { commonEnv, credentialsEnv, portEnv, postgresEnv, providersEnv, testingEnv } from './fragments';

const table = defineEnv({
  ...commonEnv,
  ...portEnv(4100),
  ...postgresEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...testingEnv,
});

describe('start-up description', () => {
  it('gives each setting as text and no secret', () => {
    const values = table.read({
      DATABASE_URL: 'postgres://u:canary@h/d',
      SLUICE_CREDENTIALS_KEYS: `k:${randomBytes(32).toString('base64')}`,
      HUBSPOT_API_URL: 'http://user:canary@127.0.0.1:4600',
      SLUICE_EGRESS_ALLOW: '10.0.0.0/8,fd00::/8',
    });
    const described = table.describe(values);
    expect(described).toMatchObject({
      DATABASE_URL: 'set',
      SLUICE_CREDENTIALS_KEYS: 'set',
      HUBSPOT_API_URL: 'http://[secret]@127.0.0.1:4600',
      SLUICE_EGRESS_ALLOW: '10.0.0.0/8,fd00::/8',
      SLUICE_PORT: '4100',
      SLUICE_SWEEPS: 'on',
      SLUICE_FAILPOINT: 'unset',
    });
    expect(Object.keys(described)).toEqual(Object.keys(table.fields));
    expect(JSON.stringify(described)).not.toContain('canary');
  });
});

describe('example', () => {
  // The generated file must be accepted once its required settings are filled in.
  it('leaves required settings open and comments the others out', () => {
    const open = table
      .example()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(open).toEqual(['DATABASE_URL=', 'SLUICE_CREDENTIALS_KEYS=']);
    expect(table.example()).toContain('# SLUICE_PORT=4100');
    expect(table.example()).toContain('# SLUICE_SWEEPS=on');
  });
});
