import { openDatabase } from '@sluice/store';
import { patientLimits, until } from '@sluice/testkit';
import { call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { dumpDatabase } from './canary/dump-database';

const stack = sharedStack();
let database: ReturnType<typeof openDatabase>;
beforeAll(() => {
  database = openDatabase({ url: stack.databaseUrl, poolMax: 1, applicationName: 'retention', limits: patientLimits });
});
afterAll(() => database.destroy());

/** Moves every moment of a project's rows this many days into the past. */
async function age(projectId: string, days: number): Promise<void> {
  const { rows } = await database.raw<{ rows: { table: string; columns: string[] }[] }>(
    `select table_name as table, array_agg(column_name::text) as columns from information_schema.columns c
     where table_schema = 'public' and data_type = 'timestamp with time zone' and is_generated = 'NEVER'
       and exists (select 1 from information_schema.tables t where t.table_schema = 'public'
                     and t.table_name = c.table_name and t.table_type = 'BASE TABLE')
       and exists (select 1 from information_schema.columns p where p.table_schema = 'public'
                     and p.table_name = c.table_name and p.column_name = 'project_id')
     group by table_name`,
  );
  for (const { table, columns } of rows) {
    const older = columns.map((column) => `"${column}" = "${column}" - make_interval(days => ${days})`);
    await database.raw(`update ?? set ${older.join(', ')} where project_id = ?`, [table, projectId]);
  }
}

/** Writes in each way, of which some succeed and some are refused for what they hold. Every value carries the mark. */
async function writeInEachWay(customer: Customer, mark: string): Promise<readonly string[]> {
  const person = (at: string, more: object = {}) => ({
    email: `${mark}-${at}@example.com`,
    lastname: `${mark}-${at}`,
    ...more,
  });
  const refused = { email: `${mark} is no email` };
  const retryPolicy = { deadlineHours: 1 };
  const bodies: readonly [body: object, headers?: Record<string, string>][] = [
    [{ type: 'create', record: person('sync') }, { 'idempotency-key': `key-${mark}` }],
    [{ type: 'create', record: refused }],
    [{ type: 'create', batch: [{ record: person('batch') }, { record: refused }] }],
    [{ type: 'create', mode: 'asynchronous', retryPolicy, record: person('async') }],
    [{ type: 'create', mode: 'asynchronous', retryPolicy, record: refused }],
    [{ type: 'create', mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 }, record: person('auto') }],
    [{ type: 'create', mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 }, record: refused }],
    [{ type: 'create', record: person('unknown', { [`${mark}_field`]: mark }) }],
    [{ type: 'update', record: { id: '99999999999', lastname: mark } }],
  ];
  const operationIds: string[] = [];
  for (const [body, headers] of bodies) {
    const { operationId } = (await customer.write('contacts', body, headers)).body;
    if (operationId !== undefined) operationIds.push(operationId);
  }
  return operationIds;
}

/** Lines of a dump that hold it, as `table: …around…`. */
function tablesWith(mark: string, dump: string): string[] {
  let table = '';
  return dump.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) table = line;
    const at = line.indexOf(mark);
    return at === -1 ? [] : [`${table}: …${line.slice(Math.max(0, at - 120), at + 60)}…`];
  });
}

// What a customer's records held is not kept for ever: in no table, whatever became of them.
it('[sec-46] after the retention time no row of the database holds a value of a record', async () => {
  const mark = `forget${Date.now().toString(36)}`;
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], read: ['contacts'] });
  const { id, key } = customer.project;
  // Nobody listens there, so each message waits and is tried again.
  const body = { url: 'https://receiver.invalid/hook', eventTypes: ['write.async.done'] };
  await call(`${stack.baseUrl}/projects/${id}/webhook-endpoints`, { key, body });
  for (const operationId of await writeInEachWay(customer, mark)) await customer.ended(operationId);
  const kept = tablesWith(mark, await dumpDatabase(stack.databaseUrl));
  expect([...new Set(kept.map((table) => table.split(':')[0]))]).toEqual(
    expect.arrayContaining(['# attempts', '# idempotency_keys', '# operations', '# records']),
  );
  await age(id, 31);
  const left = async () => tablesWith(mark, await dumpDatabase(stack.databaseUrl));
  // Some sweeps run once a minute.
  const isGone = async () => ((await left()).length === 0 ? true : undefined);
  await until('nothing to be kept', isGone, 240_000).catch(() => undefined);
  expect(await left()).toEqual([]);
});
