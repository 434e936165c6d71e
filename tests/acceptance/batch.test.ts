import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { badPerson, crms, hubspot, person, salesforce } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: batch', (provider, crm) => {
  const { object, last, title } = crm;
  let customer: Customer;
  beforeAll(async () => {
    customer = await createCustomer(stack, { provider, write: [object] });
  });
  const items = (count: number, mark: string) =>
    Array.from({ length: count }, (_, index) => ({ record: person(crm, `${mark}-${index}`) }));
  const storedWith = async (mark: string) =>
    (await customer.account.records(object)).filter(({ fields }) => String(fields[last]).startsWith(mark));

  it('replaces record: each item is a record, written with the others [write.batch] [write.batch-providers]', async () => {
    const reply = await customer.write(object, { type: 'create', batch: items(3, 'Three') });
    expect(reply).toMatchObject({ status: 200, body: { successCount: 3, failureCount: 0 } });
    const stored = await storedWith('Three');
    const ids = reply.body.results.map(({ recordId }) => recordId ?? '');
    expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(stored.find(({ id }) => id === ids[1])?.fields[last]).toBe('Three-1');
  });

  it('updates records by their ids [write.batch-types]', async () => {
    const { body } = await customer.write(object, { type: 'create', batch: items(2, 'Update') });
    const [one, two] = body.results;
    const batch = [
      { record: { id: one?.recordId, [title]: 'first' } },
      { record: { id: two?.recordId, [title]: 'second' } },
    ];
    expect(await customer.write(object, { type: 'update', batch })).toMatchObject({ status: 200 });
    expect((await customer.account.record(object, one?.recordId ?? ''))?.fields[title]).toBe('first');
    expect((await customer.account.record(object, two?.recordId ?? ''))?.fields[title]).toBe('second');
  });

  it('takes 1 and 100 records, and no more than one call for them [limits.batch]', async () => {
    for (const count of [1, 100]) {
      const before = (await customer.account.writes()).length;
      const reply = await customer.write(object, { type: 'create', batch: items(count, `Edge${count}`) });
      expect(reply).toMatchObject({ status: 200, body: { successCount: count, failureCount: 0 } });
      expect(await storedWith(`Edge${count}-`)).toHaveLength(count);
      expect((await customer.account.writes()).length - before).toBe(1);
    }
  });

  it.each([0, 101])('refuses %d records and writes none [limits.batch]', async (count) => {
    const before = (await customer.account.calls()).length;
    const reply = await customer.write(object, { type: 'create', batch: items(count, `Beyond${count}`) });
    expect(reply).toMatchObject({ status: 400, body: { issues: [{ name: 'batch' }] } });
    expect((await customer.account.calls()).length).toBe(before);
  });

  it('is not for delete, which is single-record only [write.batch-types] [limits.delete]', async () => {
    const batch = [{ record: { id: crm.absentId } }];
    const reply = await customer.write(object, { type: 'delete', batch });
    expect(reply).toMatchObject({ status: 400 });
    expect(reply.body.issues.map(({ name }) => name)).toContain('batch');
  });

  it('commits the successful records although others fail, by default [write.partial-success]', async () => {
    for (const [index, more] of [{}, { batchPolicy: {} }, { batchPolicy: { allOrNone: false } }].entries()) {
      const batch = [...items(2, `Part${index}`), { record: badPerson(crm, `Part${index}-bad`) }];
      const reply = await customer.write(object, { type: 'create', batch, ...more });
      expect(reply).toMatchObject({ status: 200, body: { successCount: 2, failureCount: 1 } });
      expect(reply.body.results.map(({ success }) => success)).toEqual([true, true, false]);
      expect(await storedWith(`Part${index}`)).toHaveLength(2);
    }
  });

  it('with allOrNone true fails as a whole when one record fails [write.all-or-none]', async () => {
    const batch = [...items(2, 'All'), { record: badPerson(crm, 'All-bad') }];
    const reply = await customer.write(object, { type: 'create', batch, batchPolicy: { allOrNone: true } });
    expect(reply).toMatchObject({ status: 422, body: { successCount: 0, failureCount: 3 } });
    expect(await storedWith('All')).toHaveLength(0);
    const good = items(2, 'All');
    const again = await customer.write(object, { type: 'create', batch: good, batchPolicy: { allOrNone: true } });
    expect(again).toMatchObject({ status: 200, body: { successCount: 2 } });
  });
});

// Whatever is wrong with a record: it costs that record, and no other one.
describe.each(crms)('%s: a batch of which one record is refused', (provider, crm) => {
  const { object, email, title, level, last, points } = crm;
  const readOnly = provider === 'hubspot' ? 'hs_object_id' : 'CreatedDate';
  let customer: Customer;
  beforeAll(async () => {
    customer = await createCustomer(stack, { provider, write: [object] });
    await customer.write(object, { type: 'create', record: person(crm, 'Taken', uniquely('taken')) });
  });
  /** A value that no two records share, at both. */
  const uniquely = (value: string): object =>
    provider === 'hubspot' ? { customer_number: value } : { External_Id__c: value };
  const storedWith = async (mark: string) =>
    (await customer.account.records(object)).filter(({ fields }) => String(fields[last]).startsWith(mark));
  const wrong: [what: string, fields: object][] = [
    ['a wrong value', { [email]: 'no email' }],
    ['a value that another record has', uniquely('taken')],
    ['a value outside the list', { [level]: 'Platinum' }],
    ['a field that does not exist', { no_such_field: 'x' }],
    ['a value of a form that no field has', { [title]: { a: 1 } }],
    ['a text where a number belongs', { [points]: 'many' }],
    ['a field that nobody may write', { [readOnly]: '2020-01-01T00:00:00Z' }],
  ];

  it.each(wrong)('for %s: the others are created [write.partial-success]', async (what, fields) => {
    const mark = `Create-${wrong.findIndex(([each]) => each === what)}`;
    const batch = ['a', 'b', 'c'].map((each) => ({
      record: person(crm, `${mark}-${each}`, each === 'b' ? fields : {}),
    }));
    const { status, body } = await customer.write(object, { type: 'create', batch });
    expect({ status, results: body.results.map(({ success }) => success) }).toEqual({
      status: 200,
      results: [true, false, true],
    });
    expect(await storedWith(mark)).toHaveLength(2);
  });

  it.each(wrong)('for %s: the others are updated [write.partial-success]', async (what, fields) => {
    const mark = `Update-${wrong.findIndex(([each]) => each === what)}`;
    const people = ['a', 'b', 'c'].map((each) => ({ record: person(crm, `${mark}-${each}`) }));
    const created = await customer.write(object, { type: 'create', batch: people });
    const batch = created.body.results.map(({ recordId }, at) => ({
      record: { id: recordId, [title]: 'New', ...(at === 1 ? fields : {}) },
    }));
    const { status, body } = await customer.write(object, { type: 'update', batch });
    expect({ status, results: body.results.map(({ success }) => success) }).toEqual({
      status: 200,
      results: [true, false, true],
    });
    expect((await storedWith(mark)).filter((record) => record.fields[title] === 'New')).toHaveLength(2);
  });

  it('for an id that no record has: the others are updated [write.partial-success]', async () => {
    const people = ['a', 'b'].map((each) => ({ record: person(crm, `Absent-${each}`) }));
    const created = await customer.write(object, { type: 'create', batch: people });
    const ids = [created.body.results[0]?.recordId, crm.absentId, created.body.results[1]?.recordId];
    const batch = ids.map((id) => ({ record: { id, [title]: 'New' } }));
    const { status, body } = await customer.write(object, { type: 'update', batch });
    expect(status).toBe(200);
    expect(body.results.map(({ success }) => success)).toEqual([true, false, true]);
    expect((await storedWith('Absent')).map(({ fields }) => fields[title])).toEqual(['New', 'New']);
  });

  it('in an auto-batch the good records are written beside all of these [operation-status.partial-success] [write.rule-3]', async () => {
    const join = (mark: string, more: object) =>
      customer.write(object, {
        type: 'create',
        mode: 'asynchronous',
        autoBatchPolicy: { maxDelayMinutes: 10 },
        record: person(crm, `Auto-${mark}`, more),
      });
    const { operationId } = (await join('good-1', {})).body;
    for (const [index, [, fields]] of wrong.entries()) await join(`bad-${index}`, fields);
    expect((await join('good-2', {})).body.operationId).toBe(operationId);
    await customer.ended(operationId);
    // The batch is divided until each bad record stands alone, and creates keep no order among themselves.
    const stored = (await storedWith('Auto')).map(({ fields }) => fields[last]);
    expect(new Set(stored)).toEqual(new Set(['Auto-good-1', 'Auto-good-2']));
    expect(stored).toHaveLength(2);
    expect(await customer.operation(operationId)).toMatchObject({ status: 'success' });
    const failed = (await customer.recordsOf(operationId)).filter(({ status }) => status === 'failed');
    expect(failed.map(({ index }) => index)).toEqual(wrong.map((_, index) => index + 1));
  });
});

describe.each(crms)('%s: an asynchronous batch', (provider, crm) => {
  const { object } = crm;
  const batch = [{ record: person(crm, 'Later-1') }, { record: badPerson(crm, 'Later-2') }];

  it('keeps to allOrNone as a synchronous one does [write.all-or-none] [write.partial-success]', async () => {
    const customer = await createCustomer(stack, { provider, write: [object] });
    const later = { type: 'create', mode: 'asynchronous', batch };
    const whole = await customer.write(object, { ...later, batchPolicy: { allOrNone: true } });
    const failed = await customer.ended(whole.body.operationId);
    expect(failed.status).toBe('failure');
    expect(failed.result).toBeTruthy();
    expect(await customer.account.records(object)).toEqual([]);
    const partial = await customer.write(object, later);
    expect(await customer.ended(partial.body.operationId)).toMatchObject({ status: 'success' });
    expect(await customer.account.records(object)).toHaveLength(1);
  });
});

describe('a batch of updates with allOrNone true', () => {
  it.each([
    { crm: hubspot, what: 'is partial success all the same [write.all-or-none-updates]', isPartial: true },
    { crm: salesforce, what: 'fails as a whole [write.all-or-none]', isPartial: false },
  ])('$crm.provider: $what', async ({ crm, isPartial }) => {
    const { provider, object, title, email } = crm;
    const customer = await createCustomer(stack, { provider, write: [object] });
    const created = await customer.write(object, {
      type: 'create',
      batch: [{ record: person(crm, 'Upd-1') }, { record: person(crm, 'Upd-2') }],
    });
    const [good, bad] = created.body.results.map(({ recordId }) => recordId ?? '');
    const batch = [{ record: { id: good, [title]: 'new' } }, { record: { id: bad, [email]: 'no email' } }];
    const reply = await customer.write(object, { type: 'update', batch, batchPolicy: { allOrNone: true } });
    expect(reply.status).toBe(isPartial ? 200 : 422);
    expect(reply.body.successCount).toBe(isPartial ? 1 : 0);
    const stored = await customer.account.record(object, good ?? '');
    expect(stored?.fields[title] ?? null).toBe(isPartial ? 'new' : null);
  });
});
