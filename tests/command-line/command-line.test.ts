import { verifyWebhook } from '@sluice/client';
import { until } from '@sluice/testkit';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type {
  ApiKey,
  Connection,
  CreatedWebhookEndpoint,
  Installation,
  Integration,
  Operation,
  OperationRecord,
  ProviderApp,
  WebhookAttempt,
  WebhookMessage,
} from '@sluice/types';
import { createAccount } from '../harness/account';
import { allow, visit } from '../harness/browser';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { createPerson, runProgram, sluicePath, type Person } from './run-sluice';

// The real binary against the real services: what a person sees and what a script gets.
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

const profileFile = () => join(person.home, '.config', 'sluice', 'profiles.json');
const accepted = async (record: object, more: object = {}) => {
  const write = { type: 'create', mode: 'asynchronous', record, ...more };
  const { status, body } = await customer.write('contacts', write);
  expect(status).toBe(200);
  return body.operationId;
};
const ended = async (operationId: string) => {
  await customer.ended(operationId);
  return operationId;
};

describe('profiles', () => {
  it('keeps the key in a file that only its owner can read, and never shows it', async () => {
    expect(statSync(profileFile()).mode & 0o777).toBe(0o600);
    expect(readFileSync(profileFile(), 'utf8')).toContain(customer.project.key);
    const listed = await person.run('profile', 'list');
    expect(listed).toContain(`*  acme     ${stack.baseUrl}`);
    expect(listed).not.toContain(customer.project.key);
  });

  it('chooses: --profile, then the environment, then the profile in use', async () => {
    const other = createPerson();
    const env = { SLUICE_URL: stack.baseUrl, SLUICE_API_KEY: customer.project.key };
    expect((await other.sluice(['integrations', '--json'], { env })).stdout).toContain(customer.integrationId);
    expect(await other.sluice(['integrations'])).toMatchObject({ code: 1, stdout: '' });
    const wrong = { SLUICE_URL: 'http://127.0.0.1:1', SLUICE_API_KEY: 'x' };
    expect((await person.sluice(['integrations', '--profile', 'acme'], { env: wrong })).code).toBe(0);
    expect((await person.sluice(['integrations'], { env: wrong })).code).toBe(1);
  });

  it('is found under XDG_CONFIG_HOME, is changed and forgotten', async () => {
    const env = { XDG_CONFIG_HOME: join(person.home, 'elsewhere') };
    const options = { env, stdin: customer.project.key };
    expect((await person.sluice(['profile', 'add', 'one', '--url', stack.baseUrl], options)).code).toBe(0);
    expect(existsSync(join(person.home, 'elsewhere', 'sluice', 'profiles.json'))).toBe(true);
    expect((await person.sluice(['profile', 'add', 'two', '--url', stack.baseUrl], options)).code).toBe(0);
    expect((await person.sluice(['profile', 'use', 'one'], { env })).code).toBe(0);
    expect((await person.sluice(['profile', 'remove', 'two'], { env })).code).toBe(0);
    const { stdout } = await person.sluice(['profile', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'one', inUse: true, project: customer.project.id }]);
  });
});

it('an installation and a connection are described, without credentials', async () => {
  const { installationId, connectionId, groupRef } = customer;
  expect(await person.run('installations', 'list', '--group', groupRef)).toContain(installationId);
  expect(await person.json<Installation[]>('installations', '--group', 'nobody')).toEqual([]);
  expect(await person.run('installations', 'describe', installationId)).toMatch(/^health +healthy$/m);
  const described = await person.run('connections', 'describe', connectionId);
  expect(described).toMatch(/^status +(created|working)$/m);
  expect(described).not.toContain(customer.account.token);
});

describe('deleting an integration', () => {
  let doomed: Customer;
  let other: Customer;
  let env: Record<string, string>;
  const names = async () => {
    const { stdout } = await person.sluice(['integrations', '--json'], { env });
    return (JSON.parse(stdout) as Integration[]).map(({ name }) => name);
  };
  const remove = (...more: readonly string[]) =>
    person.sluice(['integrations', 'delete', doomed.integrationId, ...more], { env });
  beforeAll(async () => {
    doomed = await createCustomer(stack, { provider: 'hubspot' });
    const { project, account } = doomed;
    other = await createCustomer(stack, { provider: 'hubspot', project, account });
    // The same customer uses both with one connection, which has to stay then.
    const content = { provider: 'hubspot' };
    const { connectionId, groupRef } = doomed;
    await project.install(other.integrationId, { groupRef, connectionId, config: { content } });
    env = { SLUICE_URL: stack.baseUrl, SLUICE_API_KEY: project.key };
  });

  it('shows what would go with it in a dry run, and deletes nothing for another name', async () => {
    const before = await names();
    const { code, stdout } = await remove('--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^GROUP +INSTALLATION +CONNECTION *\n${doomed.groupRef} .* stays: another`));
    const refused = await remove('--yes', 'crm');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/"crm" is not the name of the integration, crm-\d+\. Nothing was deleted/);
    expect(await names()).toEqual(before);
  });

  it('deletes it once its name is typed, and no other', async () => {
    const [name = '', kept] = await names();
    const typing = async (stdin: string) => {
      const command = `${process.execPath} ${sluicePath} integrations delete ${name}`;
      return await runProgram('script', ['-qec', command, '/dev/null'], { env: { ...env, HOME: person.home }, stdin });
    };
    // What would go with it is shown before the question. The terminal echoes what is typed.
    const listed = new RegExp(
      `^[^\\n]*\\nGROUP +INSTALLATION +CONNECTION *\r\n${doomed.groupRef} +${doomed.installationId} +[^\n]* stays: another[^\n]*\n` +
        `[^]*the integration ${name} \\(hubspot, ${doomed.integrationId}\\), 1 installation and 0 connections[^]*` +
        `Type ${name} to delete it`,
    );
    const refused = await typing('yes\n');
    expect(refused.stdout).toMatch(listed);
    expect(refused.code).not.toBe(0);
    expect(await names()).toEqual([name, kept]);
    const deleted = await typing(`${name}\n`);
    expect(deleted.stdout).toMatch(listed);
    expect(deleted.code).toBe(0);
    expect(await names()).toEqual([kept]);
    expect(await other.installation()).toMatchObject({ id: other.installationId });
  });

  it('deletes it with --yes and its name', async () => {
    const [kept = ''] = await names();
    const { stdout } = await person.sluice(['integrations', 'delete', kept, '--yes', kept, '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ integration: { name: kept }, deleted: true });
    expect(await names()).toEqual([]);
  });
});

it('a key is revoked', async () => {
  const { id } = await person.json<ApiKey>('keys', 'create', 'reader', '--scope', 'read');
  expect(await person.run('keys', 'revoke', id)).toContain('(reader) is refused from now on');
  expect(await person.run('keys', 'list')).toMatch(/reader +read +revoked/);
  expect(await person.run('keys', 'revoke', id, '--delete')).toContain('is deleted');
  expect(await person.run('keys', 'list')).not.toContain('reader');
});

describe('op', () => {
  it('watches by counts alone, and lets no control sequence of a result through', async () => {
    const asked: string[] = [];
    const operation = {
      id: 'op-1',
      status: 'failure',
      result: 'refused: \u001b[2J\u001b]0;title\u0007',
      projectId: 'p',
    };
    const records = { total: 2, pending: 0, succeeded: 0, failed: 1, unknown: 1 };
    const server = createServer(({ url = '' }, response) => {
      asked.push(new URL(url, 'http://x').pathname);
      const body = url.endsWith('/progress') ? { operationId: 'op-1', phase: 'ended', records } : operation;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { SLUICE_URL: url, SLUICE_API_KEY: 'k', SLUICE_PROJECT: 'p' };
    const { code, stdout } = await person.sluice(['op', 'watch', 'op-1'], { env });
    server.close();
    expect(stdout).toBe('2 records: 0 written, 2 failed; ended\nfailure: refused:  [2J ]0;title\n');
    expect(code).toBe(3);
    expect(asked).toEqual(['/v1/projects/p/operations/op-1', '/v1/projects/p/operations/op-1/progress']);
  });

  it('shows a bar on a terminal', async () => {
    const id = await accepted({ email: 'bar@example.com' });
    const command = `${process.execPath} ${sluicePath} op watch ${id}`;
    const env = { HOME: person.home, TERM: 'xterm', COLUMNS: '120' };
    const { code, stdout } = await runProgram('script', ['-qec', command, '/dev/null'], { env });
    expect(stdout).toContain('█');
    expect(stdout).toMatch(/1\/1 +1 written, 0 failed +ended/);
    expect(code).toBe(0);
  });

  it('ends a watch with 4 when the operation is still in progress', async () => {
    const waiting = await accepted({ email: 'later@example.com' }, { autoBatchPolicy: { maxDelayMinutes: 1440 } });
    const left = await person.sluice(['op', 'watch', waiting, '--timeout', '0']);
    expect(left.stdout).toMatch(
      /^1 record: 0 written, 0 failed; collecting, leaves at (?:[\d-]{10} )?[\d:]{8}\nin_progress: /,
    );
    expect(left.code).toBe(4);
    expect(await person.run('op', 'explain', waiting)).toMatch(/waits +its batch collects until/);
    expect(await person.run('op', 'cancel', waiting)).toContain(waiting);
    expect((await person.sluice(['op', 'watch', waiting])).code).toBe(3);
    const again = await person.json<Operation>('op', 'replay', waiting);
    expect((await person.sluice(['op', 'watch', again.id])).code).toBe(0);
    expect(await person.run('op', 'explain', waiting)).toMatch(
      new RegExp(`ended +not written \\(cancelled\\).*; replayed by operation ${again.id}`),
    );
  });

  it('explains a create whose answer was lost, and a divided batch', async () => {
    const { account } = customer;
    await account.fault({ match: { method: 'POST' }, action: { kind: 'commit-then-reset' }, times: 1 });
    const lost = await ended(await accepted({ email: 'lost@example.com' }));
    expect(await person.run('op', 'explain', lost)).toMatch(
      /no reply .*; unknown: [^\n]*\n +lookup +the provider has the record/,
    );

    const bad = { type: 'create', mode: 'asynchronous', batch: [1, 2, 3].map((n) => ({ record: divided(n) })) };
    const reply = await customer.write('contacts', bad);
    const parted = await ended(reply.body.operationId);
    expect(await person.run('op', 'explain', parted, '--record', '2')).toMatch(
      /call 1, [^\n]* -> 400 [^]*call \d, attempt 1/,
    );
  });

  // A property that HubSpot does not know refuses the whole batch.
  const divided = (n: number) => ({ email: `divided-${n}@example.com`, ...(n === 2 && { no_such_property: 'x' }) });

  it('lists as many as are asked for, and the records of one', async () => {
    const filter = ['--status', 'success', '--limit', '1'];
    const [newest, ...more] = await person.json<Operation[]>('op', 'list', ...filter);
    expect([newest?.status, more]).toEqual(['success', []]);
    expect(await person.run('op', 'list', '--since', '2999-01-01')).toBe('No operations.\n');
    expect(await person.run('op', 'records', newest?.id ?? '')).toMatch(
      /^RECORD +REF +STATUS +PROVIDER ID +KNOWN BY +WHY\n0 +- +succeeded +\d+/,
    );
  });

  it('lists those of a record by its ref or its id at the provider, and those with failures', async () => {
    const found = async (...filter: readonly string[]) =>
      (await person.json<Operation[]>('op', 'list', ...filter)).map(({ id }) => id);
    const body = { type: 'create', mode: 'asynchronous' };
    const send = async (record: object, ref: string) => {
      const reply = await customer.write('contacts', { ...body, record }, { 'sluice-record-ref': ref });
      return await ended(reply.body.operationId);
    };
    // The name of a group is no ref.
    const written = await send({ email: 'by-ref@example.com' }, customer.groupRef);
    const failed = await send({ email: 'no address' }, 'order-9');
    const [{ recordId } = {}] = await person.json<OperationRecord[]>('op', 'records', written);
    expect(await found('--ref', customer.groupRef)).toEqual([written]);
    expect(await found('--ref', 'order-9')).toEqual([failed]);
    expect(await found('--record', recordId ?? '')).toEqual([written]);
    expect(await found('--record', 'order-9')).toEqual([]);
    const withFailures = await found('--has-failures');
    expect(withFailures).toContain(failed);
    expect(withFailures).not.toContain(written);
    expect(await found('--ref', customer.groupRef, '--has-failures')).toEqual([]);
  });
});

describe('what is wrong is one line, never a stack', () => {
  beforeAll(() => {
    const manifest = 'specVersion: 1.0.0\nintegrations:\n  - name: second\n provider: hubspot\n';
    writeFileSync(join(person.home, 'broken.yaml'), manifest);
  });
  it.each<[line: string, code: number, says: RegExp, env?: Record<string, string>]>([
    ['op', 1, /The key of SLUICE_API_KEY is not accepted/, { SLUICE_API_KEY: 'wrong' }],
    ['op', 1, /is not an http or https address/, { SLUICE_URL: 'example', SLUICE_API_KEY: 'k' }],
    ['depoly x.yaml', 2, /unknown command 'depoly'\. Did you mean deploy\?/],
    ['certify', 2, /In a checkout it is: npm run certify\./],
    ['op list --stauts x', 2, /unknown option '--stauts'\. Did you mean --status\?/],
    ['op list --ref a --record b', 2, /--ref and --record .*choose one/],
    ['op watch', 2, /missing required argument 'operationId'/],
    ['op --limit many', 2, /--limit is "many"/],
    ['installations describe x', 1, /no installation "x"/],
    ['deploy none.yaml', 1, /There is no file none\.yaml/],
    ['deploy broken.yaml', 1, /broken\.yaml:4:\d+: is not readable/],
    ['completion bash', 2, /completion is gone\. .* listed by: sluice --help\./],
    ['op export x --out f', 2, /export is gone\. .* --failed --csv\./],
    ['op records x --csv', 2, /--csv .*: (add --failed|choose one)\./],
  ])('sluice %s', async (line, code, says, env = {}) => {
    const args = line.split(' ');
    const ran = await person.sluice(args, { env });
    expect(ran.stderr).toMatch(says);
    expect(ran.stderr).toMatch(/^sluice: [^\n]*\n$/);
    expect(ran).toMatchObject({ code, stdout: '' });
    const asked = await person.sluice([...args, '--json'], { env });
    expect(JSON.parse(asked.stderr)).toMatchObject({ error: { message: expect.stringMatching(says) as string } });
    expect(asked).toMatchObject({ code, stdout: '' });
  });

  it('a file of profiles that others can read, or that is none', async () => {
    const careless = createPerson();
    await careless.sluice(['profile', 'add', 'acme', '--url', stack.baseUrl], { stdin: customer.project.key });
    const file = join(careless.home, '.config', 'sluice', 'profiles.json');
    chmodSync(file, 0o644);
    expect((await careless.sluice(['op'])).stderr).toMatch(
      /^sluice: .* can be read by others\. Run: chmod 600 [^\n]*\n$/,
    );
    writeFileSync(file, '{');
    chmodSync(file, 0o600);
    expect((await careless.sluice(['op'])).stderr).toMatch(/^sluice: .* is no file of profiles\.[^\n]*\n$/);
  });

  it('a key that is refused at once is not kept', async () => {
    const newcomer = createPerson();
    const { code } = await newcomer.sluice(['profile', 'add', 'acme', '--url', stack.baseUrl], { stdin: 'wrong' });
    expect(code).toBe(1);
    expect(await newcomer.run('profile')).toContain('No profiles.');
  });
});

it('all problems of a manifest are shown at once, each in a line', async () => {
  const manifest = [
    'specVersion: 1.0.0',
    'integrations:',
    '  - {name: a, provider: hubspit}',
    '  - {name: b, provider: hubspot, write: {objects: [{}]}}',
  ];
  writeFileSync(join(person.home, 'wrong.yaml'), manifest.join('\n'));
  for (const more of [[], ['--dry-run']]) {
    const { code, stderr } = await person.sluice(['deploy', 'wrong.yaml', ...more]);
    expect(stderr).toMatch(
      /^sluice: wrong\.yaml:4:\d+: integrations\[1\]\.write\.objects\[0\]\.objectName [^\n]*\nsluice: wrong\.yaml:3:\d+: integrations\[0\]\.provider [^\n]*\n$/,
    );
    expect(code).toBe(1);
  }
});

it('what is deployed without effect is a warning, beside the output', async () => {
  const objects = '{objects: [{objectName: Contact}]}';
  const manifest = `specVersion: 1.0.0\nintegrations: [{name: lacking, provider: close, write: ${objects}}]`;
  writeFileSync(join(person.home, 'lacking.yaml'), manifest);
  const warning = 'lacking: close has no write.objects.Contact: refused there; it has lead, contact, opportunity';
  for (const more of [['--dry-run'], ['--json']]) {
    const { code, stdout, stderr } = await person.sluice(['deploy', 'lacking.yaml', ...more]);
    expect([code, stderr]).toEqual([0, `sluice: warning: ${warning}\n`]);
    expect(stdout).toContain('lacking');
  }
});

// Read leniently, two names that differ in such a byte would be one.
it('an argument that is no UTF-8 is refused', async () => {
  const script = String.raw`exec "$@" --group "$(printf 'tenant-\377')"`;
  const args = ['-c', script, 'sh', process.execPath, sluicePath, 'installations', 'list'];
  const ran = await runProgram('sh', args, { cwd: person.home, env: { HOME: person.home } });
  expect(ran).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'sluice: The argument "tenant-\uFFFD" is not valid UTF-8.\n',
  });
});

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
      /^http:\/\/127\.0\.0\.1:\d+ +webhook +write\.async\.done, connection\.\* +enabled/m,
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

it('answers --help without reading or asking anything', async () => {
  expect(await createPerson().run('--help')).toMatch(/^Usage: sluice/);
});
