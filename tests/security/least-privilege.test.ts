import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@sluice/store';
import { cloneDatabase, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';

const role = `sluice_app_${randomBytes(6).toString('hex')}`;
const password = randomBytes(12).toString('hex');

/** The statements of the guide, for a role of this test: what the guide says is what runs. */
function grants(): string {
  const guide = readFileSync(join(__dirname, '../../docs/guides/security.md'), 'utf8');
  const [, sql = ''] = /```sql\n(-- The role of the services\.[^]*?)```/.exec(guide) ?? [];
  return sql.replaceAll('sluice_app', role).replace("password '…'", `password '${password}'`);
}

let database: ClonedDatabase;
let owner: ReturnType<typeof openDatabase>;
let stack: OwnStack;
let customer: Customer;
beforeAll(async () => {
  database = await cloneDatabase();
  owner = openDatabase({ url: database.url, poolMax: 1, applicationName: 'least-privilege', limits: patientLimits });
  await owner.raw(grants());
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  stack = await startStack({
    env: {
      DATABASE_URL: url.toString(),
      // Node's own permission model: files may be read; writing one, starting a process or a thread, or loading native code is refused.
      NODE_OPTIONS: '--permission --allow-fs-read=*',
    },
  });
  customer = await createCustomer(stack, {
    provider: 'hubspot',
    read: ['contacts'],
    write: ['contacts'],
    config: { write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } } } },
  });
});
afterAll(async () => {
  await stack.stop();
  await owner.raw(`drop owned by ${role}; drop role ${role}`);
  await database.drop();
  await owner.destroy().catch(() => undefined);
});

const record = (n: number) => ({ email: `least-${n}@example.com` });
const asynchronous = { mode: 'asynchronous' };

// Reliability 4.4, row 48. Run as another user without files and without DDL, the services do all they do.
describe('[sec-48] services that may write no file and change no schema', () => {
  it('write in every mode, search, and are managed', async () => {
    const written = await customer.write('contacts', { type: 'create', record: record(1) });
    expect(written.status).toBe(200);
    const single = await customer.write('contacts', { type: 'create', record: record(2), ...asynchronous });
    const autoBatchPolicy = { maxDelayMinutes: 1 };
    const batched = await customer.write('contacts', {
      type: 'create',
      record: record(3),
      ...asynchronous,
      autoBatchPolicy,
    });
    for (const { body } of [single, batched]) {
      expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
    }
    expect((await customer.search('contacts', { email: 'least-1@example.com' })).body.results).toHaveLength(1);
    const { recordId: id } = written.body.result;
    expect((await customer.write('contacts', { type: 'delete', record: { id } })).status).toBe(200);
    expect((await customer.installation()).healthStatus).toBe('healthy');
  });

  it.each([
    'create table x (id text)',
    'alter table records add column x text',
    'drop table attempts',
    'truncate records',
  ])('%s is refused to their role', async (sql) => {
    // One session; a refused transaction takes the role with it.
    const refused = owner.transaction(async (transaction) => {
      await transaction.raw(`set local role ${role}`);
      await transaction.raw(sql);
    });
    await expect(refused).rejects.toThrow(/permission denied|must be owner/);
  });

  it('is the same in the images: no root, no shell for the user, and a command in exec form', () => {
    const dockerfile = readFileSync(join(__dirname, '../../docker/Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/useradd --uid 10001 [^\n]*--shell \/usr\/sbin\/nologin/);
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  });
});
