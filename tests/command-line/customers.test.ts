import { until } from '@sluice/testkit';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyWebhook } from '@sluice/client';
import type { Connection, CreatedWebhookEndpoint, ProviderApp, WebhookAttempt, WebhookMessage } from '@sluice/types';
import { createAccount } from '../harness/account';
import { allow, visit } from '../harness/browser';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { createPerson, runProgram, sluicePath, type Person } from './run-sluice';

// Connecting a customer, trying a write and following webhooks from a shell, against the real services.
let stack: EmbeddedStack;
let customer: Customer;
let person: Person;
beforeAll(async () => {
  stack = await startEmbeddedStack({ env: { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' } });
  customer = await createCustomer(stack, { provider: 'hubspot', write: [{ objectName: 'contacts' }] });
  person = createPerson();
  const adding = ['profile', 'add', 'acme', '--url', stack.baseUrl, '--write-url', stack.writeUrl];
  await person.sluice(adding, { stdin: customer.project.key });
});
afterAll(() => stack.stop());

const typed = (stdin: string, ...args: string[]) => person.sluice(args, { stdin });

describe('write', () => {
  const target = () => ['--integration', customer.integrationId, '--group', customer.groupRef];
  const write = (record: object | string, ...more: string[]) =>
    typed(typeof record === 'string' ? record : JSON.stringify(record), 'write', 'contacts', ...target(), ...more);

  it('writes a record of standard input, or of a file', async () => {
    const now = await write({ email: 'now@example.com' });
    expect(now.stdout).toMatch(/^Written\. The provider's id: \d+\. How: sluice op/);
    writeFileSync(join(person.home, 'later.json'), '{ "email": "later@example.com" }');
    const later = await write('', '--record', 'later.json', '--asynchronous');
    expect(later.stdout).toMatch(/^Accepted: it will be written\. Follow it: sluice op watch [0-9a-f-]{36}\n$/);
  });

  it.each<[what: string, record: string, more: readonly string[], says: RegExp]>([
    ['a record that the provider refuses', '{"email":"no address"}', [], /^sluice: Property values were not valid/],
    ['no JSON', '{', [], /^sluice: Standard input is no JSON: .*A record is \{"email"/],
    ['no object', '[]', [], /^sluice: Standard input is no record/],
    ['a file that is not there', '', ['--record', 'none.json'], /^sluice: There is no file none\.json\./],
  ])('says what is wrong with %s, in a line', async (_what, record, more, says) => {
    const ran = await write(record, ...more);
    expect(ran.stderr).toMatch(says);
    expect(ran.stderr).toMatch(/^sluice: [^\n]*\n$/);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
  });

  it('says that it needs the write address', async () => {
    const env = { SLUICE_URL: stack.baseUrl, SLUICE_API_KEY: customer.project.key };
    const without = await person.sluice(['write', 'contacts', ...target()], { env, stdin: '{"a":1}' });
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('Set SLUICE_WRITE_URL.') });
  });
});

describe('connect', () => {
  it('prints the address for the browser, and waits until the customer has allowed the app in', async () => {
    const account = await createAccount(stack, 'hubspot');
    const { clientId, clientSecret } = account;
    const app = await typed(clientSecret, 'provider-apps', 'create', 'hubspot', '--client-id', clientId, '--json');
    expect(app.stdout).not.toContain(clientSecret);
    const args = [sluicePath, 'connect', 'hubspot', '--group', 'browsing', '--consumer', 'ann', '--wait', '60'];
    const addresses: string[] = [];
    // The address is on standard error at once; what came of it on standard output at the end.
    const [ran] = await Promise.all([
      runProgram('sh', ['-c', 'exec "$@" 2>address', 'sh', process.execPath, ...args], {
        cwd: person.home,
        env: { HOME: person.home },
      }),
      (async () => {
        const url = await until('the address', () => {
          try {
            return /^https?:\/\/\S+$/m.exec(readFileSync(join(person.home, 'address'), 'utf8'))?.[0];
          } catch {
            return undefined;
          }
        });
        addresses.push(url);
        const { message } = await visit(await allow(url, account));
        expect(message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
      })(),
    ]);
    expect(addresses).toHaveLength(1);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toMatch(
      /^browsing is connected to hubspot, account \d+: connection [0-9a-f-]{36}, created\.\n$/,
    );
    const [connection] = await person.json<Connection[]>('connections', '--group', 'browsing');
    expect(await person.run('connections', 'reconnect', connection?.id ?? '')).toMatch(/^https?:\/\/\S+\n$/);
    const late = await person.sluice([...args.slice(1, -1), '0']);
    expect(late).toMatchObject({ code: 4, stderr: expect.stringContaining('has not connected hubspot within 0 s') });
  });

  it('takes a token or a key of standard input, and one of them', async () => {
    const whose = ['connect', 'hubspot', '--group', 'typing', '--consumer', 'bob'];
    expect(await typed('', ...whose, '--access-token')).toMatchObject({ code: 1, stdout: '' });
    expect(await typed('k', ...whose, '--access-token', '--api-key')).toMatchObject({ code: 2, stdout: '' });
    expect((await typed('k', ...whose, '--api-key')).stderr).toMatch(/^sluice: .*hubspot/);
  });
});

it('provider-apps are added with a secret that nobody sees again, changed and deleted', async () => {
  const app = ['--client-id', 'c1', '--scope', 'api', 'refresh_token', '--json'];
  const { stdout } = await typed('s3cret-one', 'provider-apps', 'create', 'salesforce', ...app);
  const { id } = JSON.parse(stdout) as ProviderApp;
  expect(await person.run('provider-apps')).toMatch(/^salesforce +c1 +api refresh_token /m);
  expect(await person.run('provider-apps', 'describe', id)).toMatch(/client id +c1/);
  expect((await typed('s3cret-two', 'provider-apps', 'secret', id)).stdout).toContain('has the new secret');
  expect(await typed('', 'provider-apps', 'secret', id)).toMatchObject({ code: 1, stdout: '' });
  expect(await person.run('provider-apps', 'delete', id)).toContain('is deleted');
  expect(await person.run('provider-apps')).not.toContain(id);
});

describe('webhooks', () => {
  let server: Server;
  let status = 204;
  const received: { body: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  let endpoint: CreatedWebhookEndpoint;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
        response.writeHead(status).end(status === 204 ? undefined : 'the receiver is being mended');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    endpoint = await person.json('webhooks', 'create', url, '--event', 'write.async.done', 'connection.*');
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const sent = async () => (await person.json<WebhookMessage>('webhooks', 'test', endpoint.id)).id;
  const messageOf = async (id: string) =>
    (await person.json<WebhookMessage[]>('webhooks', 'messages', endpoint.id)).find((message) => message.id === id);

  it('are made with a secret that verifies what is sent', async () => {
    expect(await person.run('webhooks', 'secret', endpoint.id)).toBe(`${endpoint.secret}\n`);
    const id = await sent();
    await until('the message', () => received[0]);
    const [{ body, headers } = { body: '', headers: {} }] = received;
    const event = await verifyWebhook(body, headers, { secret: endpoint.secret });
    expect(event).toMatchObject({ id, notificationType: 'endpoint.test' });
    await until('it is delivered', async () => (await messageOf(id))?.status === 'delivered' || undefined);
    expect(await person.run('webhooks', 'messages', endpoint.id)).toMatch(/endpoint\.test +delivered +1 /);
    expect(await person.run('webhooks')).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ +write\.async\.done, connection\.\* +enabled/m,
    );
    expect(await person.run('webhooks', 'describe', endpoint.id)).toMatch(/status +enabled/);
  });

  it('show why a message was not taken, and send it again once the receiver is mended', async () => {
    status = 500;
    const id = await sent();
    const attempt = await until('an attempt', async () => {
      const args = ['webhooks', 'messages', endpoint.id, '--message', id];
      return (await person.json<WebhookAttempt[]>(...args)).find(({ class: outcome }) => outcome !== undefined);
    });
    expect(attempt).toMatchObject({ class: 'refused', responseStatus: 500 });
    expect(await person.run('webhooks', 'messages', endpoint.id, '--message', id)).toMatch(
      /1 .* refused +500 +\d+ ms +the receiver/,
    );
    status = 204;
    expect(await person.run('webhooks', 'replay', endpoint.id, '--since', '1h')).toMatch(
      /^\d+ failed messages? sent again/,
    );
    expect(await person.run('webhooks', 'replay', endpoint.id, '--message', id)).toContain('is sent again');
    await until('it is delivered', async () => (await messageOf(id))?.status === 'delivered' || undefined);
    expect(await person.sluice(['webhooks', 'replay', endpoint.id])).toMatchObject({ code: 2, stdout: '' });
  });

  it('are disabled, enabled, given another secret and deleted', async () => {
    expect(await person.run('webhooks', 'disable', endpoint.id)).toMatch(/is disabled\.\n$/);
    expect(await person.run('webhooks', 'list')).toMatch(/disabled: request/);
    expect(await person.run('webhooks', 'enable', endpoint.id)).toMatch(/is enabled\.\n$/);
    expect(await person.run('webhooks', 'rotate-secret', endpoint.id)).toMatch(/^whsec_\S+\n$/);
    expect(await person.run('webhooks', 'secret', endpoint.id)).not.toBe(`${endpoint.secret}\n`);
    expect(await person.run('webhooks', 'delete', endpoint.id)).toContain('is deleted');
    expect(await person.run('webhooks')).toContain('No webhook endpoints.');
  });
});
