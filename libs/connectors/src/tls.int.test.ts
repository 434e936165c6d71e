import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { selfSigned } from '../test/self-signed';

const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
const authority = join(folder, 'ca.pem');
const servers: Server[] = [];
beforeAll(() => writeFileSync(authority, selfSigned.cert));
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** A provider on localhost whose certificate is known to whoever trusts the file. */
async function listen(version: SecureVersion): Promise<string> {
  // Old versions need old ciphers, on the side of the server only.
  const options = { ...selfSigned, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
  const server = createServer(options, (_, response) => response.end('{}'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** What becomes of a call in a process with these variables: TLS reads the real environment, which a test runner replaces. */
async function outcomeOf(url: string, env: Record<string, string>): Promise<Record<string, unknown>> {
  const script = `
    const { createHttpClient } = require(process.argv[1]);
    const lookup = (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    const egress = { policy: () => 'named', lookup };
    const client = createHttpClient({ baseUrl: 'https://api.example.com', callTimeoutMs: 60000, egress });
    client.send({ method: 'GET', path: '/', headers: {}, origin: process.argv[2] }).then(async (outcome) => {
      console.log(JSON.stringify(outcome));
      await client.close();
    });`;
  const args = ['-e', script, join(__dirname, '../dist/http-client.js'), url];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env: { ...env, PATH: '' }, timeout: 90_000 }, (error, stdout) => {
      if (error) reject(new Error(error.message));
      else resolve(JSON.parse(stdout) as Record<string, unknown>);
    });
  });
}

const trusting = () => ({ NODE_EXTRA_CA_CERTS: authority });

describe('[sec-24] who a provider is, is checked', () => {
  // No variable of the environment switches that off.
  it.each<[Record<string, string>]>([[{}], [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }]])(
    'a certificate that nobody we trust has signed, with %j',
    async (env) => {
      const outcome = await outcomeOf(await listen('TLSv1.3'), env);
      expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    },
  );

  it.each<[SecureVersion, object]>([
    ['TLSv1.3', { kind: 'reply', reply: { status: 200 } }],
    ['TLSv1.2', { kind: 'reply', reply: { status: 200 } }],
    ['TLSv1.1', { kind: 'not-sent' }],
    ['TLSv1', { kind: 'not-sent' }],
  ])('with a certificate that is trusted, over %s', async (version, expected) => {
    expect(await outcomeOf(await listen(version), trusting())).toMatchObject(expected);
  });

  it('a trusted certificate of another name: nothing is sent', async () => {
    const url = (await listen('TLSv1.3')).replace('localhost', 'acme.example.com');
    expect(await outcomeOf(url, trusting())).toMatchObject({
      kind: 'not-sent',
      reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });
});
