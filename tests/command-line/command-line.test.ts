import { until } from '@sluice/testkit';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type {
  ApiKey,
  Connection,
  Installation,
  Integration,
  Lane,
  Operation,
  OperationExplanation,
} from '@sluice/types';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { createPerson, runProgram, sluicePath, type Person } from './run-sluice';

// The real binary against the real services: what a person sees and what a script gets.
let stack: EmbeddedStack;
let customer: Customer;
let person: Person;
beforeAll(async () => {
  stack = await startEmbeddedStack();
  customer = await createCustomer(stack, {
    provider: 'hubspot',
    write: [{ objectName: 'contacts' }],
    config: {
      write: {
        objects: {
          contacts: {
            objectName: 'contacts',
            selectedFieldSettings: { hs_lead_status: { default: { stringValue: 'NEW' } } },
          },
        },
      },
    },
  });
  person = createPerson();
  await person.sluice(['profile', 'add', 'acme', '--url', stack.baseUrl], {
    stdin: customer.project.key,
  });
});
afterAll(() => stack.stop());

const profileFile = () => join(person.home, '.config', 'sluice', 'profiles.json');
const create = (record: object, more: object = {}) =>
  customer.write('contacts', { type: 'create', mode: 'asynchronous', record, ...more });
const accepted = async (...given: Parameters<typeof create>) => {
  const { status, body } = await create(...given);
  expect(status).toBe(200);
  return body.operationId;
};
/** In a batch that stays open for some seconds: a minute lasts one of them. */
const joined = (email: string, more: object = {}, maxDelayMinutes = 5) =>
  accepted({ email, ...more }, { autoBatchPolicy: { maxDelayMinutes } });
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

describe('deploy', () => {
  const deploy = (text: string) => {
    writeFileSync(join(person.home, 'sluice.yaml'), text);
    return person.sluice(['deploy', 'sluice.yaml']);
  };
  const good = 'specVersion: 1.0.0\nintegrations:\n  - name: second\n    provider: hubspot\n';

  it('deploys a manifest of YAML, and one of JSON from standard input', async () => {
    const { code, stdout } = await deploy(good);
    expect(stdout).toMatch(/^INTEGRATION +PROVIDER +ID +REVISION\nsecond +hubspot +[0-9a-f-]{36} +[0-9a-f-]{36}\n$/);
    expect(code).toBe(0);
    const stdin = JSON.stringify({ specVersion: '1.0.0', integrations: [{ name: 'third', provider: 'salesforce' }] });
    const asked = await person.sluice(['deploy', '-', '--json'], { stdin });
    expect(JSON.parse(asked.stdout)).toMatchObject([{ name: 'third', provider: 'salesforce' }]);
  });

  it('shows with --dry-run what would change, and deploys nothing', async () => {
    const stdin = good.replace('second', 'never-deployed');
    const { code, stdout } = await person.sluice(['deploy', '-', '--dry-run'], { stdin });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'INTEGRATION     PROVIDER  CHANGE\nnever-deployed  hubspot   created\n',
    });
    expect((await person.sluice(['integrations'])).stdout).not.toContain('never-deployed');
    const refused = await person.sluice(['deploy', '-', '--dry-run'], { stdin: good.replace('hubspot', 'hubspit') });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^sluice: -:4:\d+: .*provider is not known/);
  });

  it.each([
    ['a value of a wrong kind', good.replace('second', '[]'), /^sluice: sluice\.yaml:3:\d+: integrations\[0\]\.name /],
    ['a broken indentation', good.replace('    provider', ' provider'), /^sluice: sluice\.yaml:4:\d+: is not readable/],
    ['an unknown provider', good.replace('hubspot', 'hubspit'), /^sluice: sluice\.yaml:4:\d+: .*provider is not known/],
  ])('gives the position of %s in the form of a compiler', async (_what, text, line) => {
    const { code, stdout, stderr } = await deploy(text);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('resources', () => {
  it('are listed and described, as tables and as the documents of the API', async () => {
    const { integrationId, installationId, connectionId, groupRef } = customer;
    expect(await person.run('integrations')).toMatch(/^NAME +PROVIDER +READS +WRITES +UPDATED +ID\n/);
    expect(await person.json<Integration>('integrations', 'describe', integrationId)).toMatchObject({
      id: integrationId,
    });
    expect(await person.run('installations', 'list', '--group', groupRef)).toContain(installationId);
    expect(await person.json<Installation[]>('installations', '--group', 'nobody')).toEqual([]);
    expect(await person.run('installations', 'describe', installationId)).toContain('healthy');
    expect(await person.json<Connection[]>('connections')).toMatchObject([{ id: connectionId }]);
    const [lane] = await person.json<Lane[]>('lanes');
    expect(lane).toMatchObject({
      provider: 'hubspot',
      quota: { limit: 110, windowSeconds: 10, left: expect.any(Number) },
    });
    expect(await person.run('lanes', 'list')).toMatch(
      /^PROVIDER +ACCOUNT +STATE +QUOTA LEFT .*\nhubspot +\S+ +open +\d+ of 110 in 10 s /,
    );
    const described = await person.run('connections', 'describe', connectionId);
    expect(described).toMatch(/status +(created|working)/);
    expect(described).not.toContain(customer.account.token);
  });
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

  it('shows what would go with it in a dry run', async () => {
    const [name] = await names();
    const { code, stdout, stderr } = await remove('--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^GROUP +INSTALLATION +CONNECTION *\n${doomed.groupRef} .* stays: another`));
    expect(stdout).toContain(
      `the integration ${name} (hubspot, ${doomed.integrationId}), 1 installation and 0 connections`,
    );
    expect(stdout).toMatch(/Nothing was deleted\.\n$/);
    const shown = await person.sluice(['integrations', 'delete', other.integrationId, '--dry-run', '--json'], { env });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      integration: { id: other.integrationId },
      installations: [{ groupRef: other.groupRef }, { groupRef: doomed.groupRef }],
      connections: [other.connectionId],
      deleted: false,
    });
  });

  it.each<[what: string, options: readonly string[], says: RegExp]>([
    ['without a terminal', [], /Standard input is not a terminal.* add --yes crm-\d+/],
    ['for another name', ['--yes', 'crm'], /"crm" is not the name of the integration, crm-\d+\. Nothing was deleted/],
  ])('deletes nothing %s', async (_what, options, says) => {
    const before = await names();
    const { code, stdout, stderr } = await remove(...options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
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

  it('is no part of a deployment, destructive or not', async () => {
    const [kept] = await names();
    const manifest = JSON.stringify({ specVersion: '1.0.0', integrations: [{ name: 'new', provider: 'hubspot' }] });
    const { code } = await person.sluice(['deploy', '-', '--destructive'], { env, stdin: manifest });
    expect(code).toBe(0);
    expect(await names()).toEqual([kept, 'new']);
    const confirmed = ['integrations', 'delete', kept ?? '', '--yes', kept ?? '', '--json'];
    const { stdout, stderr } = await person.sluice(confirmed, { env });
    expect(stderr).toMatch(new RegExp(`^GROUP [^]*\n${other.groupRef} [^]*To be deleted: the integration ${kept} `));
    expect(JSON.parse(stdout)).toMatchObject({ integration: { name: kept }, deleted: true });
    expect(await names()).toEqual(['new']);
  });
});

describe('keys', () => {
  it('are made with scopes, shown once, listed without, and refused once revoked', async () => {
    const made = await person.json<ApiKey>('keys', 'create', 'reader', '--scope', 'read');
    const env = { SLUICE_URL: stack.baseUrl, SLUICE_API_KEY: made.key };
    expect((await person.sluice(['op'], { env })).code).toBe(0);
    const { code, stderr } = await person.sluice(['keys', 'create', 'more', '--scope', 'full'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^sluice: .*scopes.*\n$/) as string });
    expect(await person.run('keys')).not.toContain(made.key);
    expect(await person.run('keys', 'revoke', made.id)).toContain('reader');
    expect(await person.run('keys', 'list')).toMatch(/reader +read +revoked/);
    // Other processes may know a key for up to a second after it was revoked.
    const refused = await until('the revoked key is refused', async () => {
      const answer = await person.sluice(['op'], { env });
      return answer.code === 0 ? undefined : answer;
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^sluice: The key of SLUICE_API_KEY is not accepted: .*\n$/);
  });
});

describe('op', () => {
  it('watches a batch in lines, explains why each record ended as it did, and prints the failed one as CSV', async () => {
    // Open for ten seconds: the second record must still find it.
    const id = await joined('batch-1@example.com', { firstname: 'Zoe-the-canary' }, 10);
    expect(await joined('no address of mail')).toBe(id);
    const watched = await person.sluice(['op', 'watch', id]);
    expect(watched).toMatchObject({ code: 0, stderr: '' });
    expect(watched.stdout).toMatch(/^(2 records: .*\n)*2 records: 1 written, 1 failed; ended\nsuccess: .*\n$/);
    const explained = await person.run('op', 'explain', id);
    expect(explained).toContain(`Operation ${id}: auto-batched create of contacts at hubspot`);
    expect(explained).toMatch(/field +hs_lead_status: default of selectedFieldSettings/);
    expect(explained).toMatch(/sent +[\d:.]+ in call 1, attempt 1, 2 records -> 207/);
    expect(explained).toMatch(/ended +not written \(rejected\): .*INVALID_EMAIL/);
    expect(explained).not.toContain('canary');
    expect(await person.run('op', 'records', id)).toMatch(/^RECORD .*\n0 +- +succeeded .*\n1 +- +failed .*\n$/);
    expect(await person.run('op', 'records', id, '--failed', '--csv')).toMatch(
      /^record,id,ref,code,text\r\n1,,,rejected,"[^\r]*""INVALID_EMAIL""[^\r]*"\r\n$/,
    );
  });

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
    const id = await ended(await accepted({ email: 'bar@example.com' }));
    const command = `${process.execPath} ${sluicePath} op watch ${id}`;
    const env = { HOME: person.home, TERM: 'xterm', COLUMNS: '120' };
    const { code, stdout } = await runProgram('script', ['-qec', command, '/dev/null'], { env });
    expect(stdout).toContain('█');
    expect(stdout).toMatch(/1\/1 +1 written, 0 failed +ended/);
    expect(code).toBe(0);
  });

  it('ends a watch with 3 when the operation failed, and with 4 when it is still in progress', async () => {
    const failed = await accepted({ email: 'no address' });
    expect((await person.sluice(['op', 'watch', failed])).code).toBe(3);
    const waiting = await joined('later@example.com', {}, 1440);
    const left = await person.sluice(['op', 'watch', waiting, '--timeout', '0']);
    expect(left.stdout).toMatch(
      /^1 record: 0 written, 0 failed; collecting, leaves at (?:[\d-]{10} )?[\d:]{8}\nin_progress: /,
    );
    expect(left.code).toBe(4);
    expect(await person.run('op', 'explain', waiting)).toMatch(/waits +its batch collects until/);
    expect(await person.run('op', 'cancel', waiting)).toContain(waiting);
    expect((await person.sluice(['op', 'watch', waiting])).code).toBe(3);
    expect(await person.run('op', 'explain', waiting)).toMatch(/ended +not written \(cancelled\)/);
    const again = await person.json<Operation>('op', 'replay', waiting);
    expect(again.id).not.toBe(waiting);
    expect((await person.sluice(['op', 'watch', again.id])).code).toBe(0);
    expect(await person.run('op', 'explain', waiting)).toContain(`replayed by operation ${again.id}`);
  });

  it('explains retries, a create whose answer was lost, and a divided batch', async () => {
    const { account } = customer;
    await account.fault({ match: { method: 'POST' }, action: { kind: 'quota', retryAfterSeconds: 1 }, times: 1 });
    const retried = await ended(await accepted({ email: 'retried@example.com' }));
    const explained = await person.run('op', 'explain', retried);
    expect(explained).toMatch(/attempt 1, 1 record -> 429 .*; quota: .*\n +sent .*attempt 2, 1 record -> 201/);

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

  it('lists by a filter, and shows one', async () => {
    const [newest] = await person.json<Operation[]>(
      'op',
      'list',
      '--status',
      'failure',
      '--since',
      '1h',
      '--limit',
      '1',
    );
    expect(newest?.status).toBe('failure');
    expect(await person.run('op', 'describe', newest?.id ?? '')).toMatch(/RECORD +REF +STATUS +PROVIDER ID +WHY\n0 /);
    expect(await person.run('op', 'logs', newest?.id ?? '')).toMatch(/INFO +Accepted: /);
    expect(await person.run('op', 'list', '--since', '2999-01-01')).toBe('No operations.\n');
    const all = await person.json<OperationExplanation>('op', 'explain', newest?.id ?? '');
    expect(all).toMatchObject({ operation: { id: newest?.id }, provider: 'hubspot' });
  });
});

interface Wrong {
  readonly args: readonly string[];
  readonly code: number;
  readonly says: RegExp;
  readonly env?: Record<string, string>;
}

describe('what is wrong is one line, never a stack', () => {
  const nobody = { SLUICE_URL: 'http://127.0.0.1:65530/v1', SLUICE_API_KEY: 'k' };
  it.each<[what: string, wrong: Wrong]>([
    [
      'an unknown profile',
      { args: ['op', '--profile', 'acne'], code: 1, says: /no profile "acne"\. Did you mean acme\?/ },
    ],
    [
      'a wrong key',
      { args: ['op'], code: 1, says: /The key of SLUICE_API_KEY is not accepted/, env: { SLUICE_API_KEY: 'wrong' } },
    ],
    [
      'an unreachable server',
      { args: ['op'], code: 1, says: /127\.0\.0\.1:65530.*not answered.*ECONNREFUSED/, env: nobody },
    ],
    [
      'no address at all',
      {
        args: ['op'],
        code: 1,
        says: /is not an http or https address/,
        env: { SLUICE_URL: 'example', SLUICE_API_KEY: 'k' },
      },
    ],
    [
      'an unknown command',
      { args: ['depoly', 'x.yaml'], code: 2, says: /unknown command 'depoly'\. Did you mean deploy\?/ },
    ],
    [
      'an unknown command of a group',
      { args: ['op', 'wach', 'x'], code: 2, says: /unknown command 'wach'\. Did you mean watch\?/ },
    ],
    ['a command of the checkout', { args: ['certify'], code: 2, says: /In a checkout it is: npm run certify\./ }],
    [
      'an unknown option',
      { args: ['op', 'list', '--stauts', 'x'], code: 2, says: /unknown option '--stauts'\. Did you mean --status\?/ },
    ],
    [
      'an argument that is missing',
      { args: ['op', 'watch'], code: 2, says: /missing required argument 'operationId'/ },
    ],
    ['a value that is none', { args: ['op', '--limit', 'many'], code: 2, says: /--limit is "many"/ }],
    ['an operation that is not there', { args: ['op', 'describe', 'x'], code: 1, says: /no such operation/ }],
    [
      'an installation that is not there',
      { args: ['installations', 'describe', 'x'], code: 1, says: /no installation "x"/ },
    ],
    ['a manifest that is not there', { args: ['deploy', 'none.yaml'], code: 1, says: /There is no file none\.yaml/ }],
    [
      'a command that is gone',
      { args: ['completion', 'bash'], code: 2, says: /completion is gone\. .* listed by: sluice --help\./ },
    ],
    [
      'a command of a group that is gone',
      { args: ['op', 'export', 'x', '--out', 'f'], code: 2, says: /export is gone\. .* --failed --csv\./ },
    ],
    [
      'CSV of records that did not fail',
      { args: ['op', 'records', 'x', '--csv'], code: 2, says: /--csv .*: (add --failed|choose one)\./ },
    ],
  ])('%s', async (_what, { args, code, says, env = {} }) => {
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

describe('at hand', () => {
  it('answers --help without reading or asking anything, and says how fast', async () => {
    const tookMs: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const begunAt = performance.now();
      const { code, stdout } = await person.sluice(['--help']);
      tookMs.push(Math.round(performance.now() - begunAt));
      expect({ code, begins: stdout.slice(0, 13) }).toEqual({ code: 0, begins: 'Usage: sluice' });
    }
    // Reported, not judged: it depends on what else runs on the machine.
    process.stdout.write(`sluice --help: ${tookMs.join(', ')} ms (150 is asked for)\n`);
  });
});
