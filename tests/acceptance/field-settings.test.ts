import { writeObjectConfigSchema, type FieldSettings, type WriteObjectConfig } from '@sluice/types';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: settings of fields', (provider, crm) => {
  const { object, first, phone, title, city, points, isActive } = crm;
  const customerWith = (more: Partial<WriteObjectConfig>): Promise<Customer> =>
    createCustomer(stack, {
      provider,
      write: [object],
      config: { write: { objects: { [object]: { objectName: object, ...more } } } },
    });
  const settings = (selectedFieldSettings: Record<string, FieldSettings>) => customerWith({ selectedFieldSettings });

  /** Creates a person with what is given and returns the fields that the provider holds then. */
  const create = async (customer: Customer, mark: string, more: object = {}) => {
    const reply = await customer.write(object, { type: 'create', record: person(crm, mark, more) });
    expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
    return { id: reply.body.result.recordId, fields: await fieldsOf(customer, reply.body.result.recordId) };
  };
  const update = async (customer: Customer, id: string, more: object) => {
    const reply = await customer.write(object, { type: 'update', record: { id, ...more } });
    expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
    return fieldsOf(customer, id);
  };
  const fieldsOf = async (customer: Customer, id: string) => {
    const stored = await customer.account.record(object, id);
    // The one says null for what is unset, the other leaves it out; HubSpot keeps texts.
    const fields = Object.entries((stored?.fields ?? {}) as Record<string, string | number | boolean | null>);
    return Object.fromEntries(fields.map(([name, value]) => [name, String(value ?? '')]));
  };

  it('a default fills what the request leaves out, and nothing else [write.rule-5] [write-config.default-missing]', async () => {
    const customer = await settings({ [title]: { default: { stringValue: 'Unknown' } } });
    expect((await create(customer, 'Without')).fields[title]).toBe('Unknown');
    const given = await create(customer, 'With', { [title]: 'Chief' });
    expect(given.fields[title]).toBe('Chief');
    expect((await update(customer, given.id, { [first]: 'Zoë' }))[title]).toBe('Unknown');
    // A present null is a value: it empties the field.
    expect((await update(customer, given.id, { [title]: null }))[title] ?? '').toBe('');
  });

  it('settings hold for each record of a batch, and for asynchronous and auto-batched writes [write.rule-5] [write.rule-5-included]', async () => {
    const customer = await settings({
      [title]: { default: { stringValue: 'Unknown' } },
      [city]: { writeOnCreate: 'never' },
    });
    const marked = (mark: string) => person(crm, mark, { [city]: 'Bern' });
    const batch = [{ record: marked('Each-1') }, { record: { ...marked('Each-2'), [title]: 'Chief' } }];
    expect(await customer.write(object, { type: 'create', batch })).toMatchObject({ status: 200 });
    const later = { type: 'create', mode: 'asynchronous' };
    const one = await customer.write(object, { ...later, record: marked('Each-3') });
    const autoBatchPolicy = { maxDelayMinutes: 1 };
    const two = await customer.write(object, { ...later, record: marked('Each-4'), autoBatchPolicy });
    for (const { body } of [one, two])
      expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
    const people = (await customer.account.records(object)).map(({ fields }) => ({
      name: fields[crm.last],
      title: fields[title],
      city: fields[city] ?? '',
    }));
    expect(people.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual([
      { name: 'Each-1', title: 'Unknown', city: '' },
      { name: 'Each-2', title: 'Chief', city: '' },
      { name: 'Each-3', title: 'Unknown', city: '' },
      { name: 'Each-4', title: 'Unknown', city: '' },
    ]);
  });

  it('a default is a text, an integer or a boolean [write-config.default-string] [write-config.default-integer] [write-config.default-boolean]', async () => {
    const customer = await settings({
      [title]: { default: { stringValue: '' } },
      [city]: { default: { stringValue: 'Žilina' } },
      [points]: { default: { integerValue: 42 } },
      [isActive]: { default: { booleanValue: true } },
    });
    const { fields } = await create(customer, 'Typed');
    expect(fields).toMatchObject({ [city]: 'Žilina', [points]: '42', [isActive]: 'true' });
    expect(fields[title] ?? '').toBe('');
  });

  it('writeOnCreate never: not on create, but on update [write.rule-5-included] [write-config.write-on-create-never]', async () => {
    const customer = await settings({ [title]: { writeOnCreate: 'never' } });
    const { id, fields } = await create(customer, 'Never', { [title]: 'Chief', [first]: 'Zoë' });
    expect(fields[title] ?? '').toBe('');
    expect(fields[first]).toBe('Zoë');
    expect((await update(customer, id, { [title]: 'Chief' }))[title]).toBe('Chief');
  });

  it('writeOnCreate never holds back the default too [write.rule-5-included]', async () => {
    const customer = await settings({ [title]: { writeOnCreate: 'never', default: { stringValue: 'Unknown' } } });
    expect((await create(customer, 'NoDefault')).fields[title] ?? '').toBe('');
  });

  it('writeOnUpdate never: not on update, but on create [write.rule-5-included] [write-config.write-on-update-never]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'never' } });
    const { id, fields } = await create(customer, 'Once', { [title]: 'Chief' });
    expect(fields[title]).toBe('Chief');
    const after = await update(customer, id, { [title]: 'Other', [first]: 'Zoë' });
    expect(after).toMatchObject({ [title]: 'Chief', [first]: 'Zoë' });
  });

  it('both are always when they are left out [write-config.write-on-create] [write-config.write-on-update]', async () => {
    const customer = await settings({
      [title]: {},
      [first]: { writeOnCreate: 'always', writeOnUpdate: 'always' },
    });
    const { id, fields } = await create(customer, 'Always', { [title]: 'Chief', [first]: 'Zoë' });
    expect(fields).toMatchObject({ [title]: 'Chief', [first]: 'Zoë' });
    expect(await update(customer, id, { [title]: 'a', [first]: 'b' })).toMatchObject({ [title]: 'a', [first]: 'b' });
  });

  it('ifEmpty writes an unset field and an empty one, and keeps a value [write-config.if-empty]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'ifEmpty' }, [phone]: { writeOnUpdate: 'ifEmpty' } });
    const { id } = await create(customer, 'Empty', { [phone]: '+41 1', [title]: '' });
    const after = await update(customer, id, { [title]: 'Chief', [phone]: '+41 2', [first]: 'Zoë' });
    expect(after).toMatchObject({ [title]: 'Chief', [phone]: '+41 1', [first]: 'Zoë' });
    const later = await update(customer, id, { [title]: 'Other' });
    expect(later[title]).toBe('Chief');
    await customer.write(object, { type: 'create', record: person(crm, 'Created', { [title]: 'On create' }) });
    const created = (await customer.account.records(object)).find(({ fields }) => fields[title] === 'On create');
    expect(created).toBeDefined();
  });

  it('a default with ifEmpty goes into an empty field only [write-config.if-empty] [write.rule-5]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'ifEmpty', default: { stringValue: 'Unknown' } } });
    const kept = await create(customer, 'IfDefault-1', { [title]: 'Chief' });
    const emptied = await create(customer, 'IfDefault-2', { [title]: '' });
    expect(await update(customer, kept.id, { [first]: 'Zoë' })).toMatchObject({ [title]: 'Chief', [first]: 'Zoë' });
    expect(await update(customer, emptied.id, { [first]: 'Zoë' })).toMatchObject({ [title]: 'Unknown' });
  });

  it('ifEmpty in a batch costs one read for all its records [write-config.if-empty]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'ifEmpty' } });
    const records = [person(crm, 'If-1', { [title]: 'Kept' }), person(crm, 'If-2')];
    const created = await customer.write(object, { type: 'create', batch: records.map((record) => ({ record })) });
    const ids = created.body.results.map(({ recordId }) => recordId ?? '');
    const before = (await customer.account.calls()).length;
    const batch = ids.map((id) => ({ record: { id, [title]: 'New', [first]: 'Zoë' } }));
    expect(await customer.write(object, { type: 'update', batch })).toMatchObject({ status: 200 });
    const titles = await Promise.all(ids.map(async (id) => (await fieldsOf(customer, id))[title]));
    expect(titles).toEqual(['Kept', 'New']);
    expect((await customer.account.calls()).length - before).toBe(2);
  });

  it('ifEmpty with an id that no record has: the others are updated [write-config.if-empty] [write.partial-success]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'ifEmpty' } });
    const [one, two] = [await create(customer, 'Missing-1'), await create(customer, 'Missing-2', { [title]: 'Kept' })];
    const batch = [one.id, crm.absentId, two.id].map((id) => ({ record: { id, [title]: 'New', [first]: 'Zoë' } }));
    const { status, body } = await customer.write(object, { type: 'update', batch });
    expect(status).toBe(200);
    expect(body.results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(await fieldsOf(customer, one.id)).toMatchObject({ [title]: 'New', [first]: 'Zoë' });
    expect(await fieldsOf(customer, two.id)).toMatchObject({ [title]: 'Kept', [first]: 'Zoë' });
  });

  it('ifEmpty in an auto-batch costs one read for all its records [write-config.if-empty]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'ifEmpty' } });
    const people = Array.from({ length: 20 }, (_, index) => person(crm, `Auto-${index}`));
    const created = await customer.write(object, { type: 'create', batch: people.map((record) => ({ record })) });
    const before = (await customer.account.calls()).length;
    const accepted = await Promise.all(
      created.body.results.map(({ recordId: id }) =>
        customer.write(object, {
          type: 'update',
          mode: 'asynchronous',
          autoBatchPolicy: { maxDelayMinutes: 1 },
          record: { id, [title]: 'New' },
        }),
      ),
    );
    const operations = new Set(accepted.map(({ body }) => body.operationId));
    for (const id of operations) expect(await customer.ended(id)).toMatchObject({ status: 'success' });
    expect((await customer.account.records(object)).every(({ fields }) => fields[title] === 'New')).toBe(true);
    expect((await customer.account.calls()).length - before).toBe(2 * operations.size);
  });

  it('ifEmpty holds for asynchronous and auto-batched updates too [write-config.if-empty]', async () => {
    const customer = await settings({ [title]: { writeOnUpdate: 'ifEmpty' } });
    const kept = await create(customer, 'Async-1', { [title]: 'Kept' });
    const open = await create(customer, 'Async-2');
    const asynchronous = { type: 'update', mode: 'asynchronous' };
    const one = await customer.write(object, { ...asynchronous, record: { id: kept.id, [title]: 'New' } });
    const autoBatchPolicy = { maxDelayMinutes: 1 };
    const two = await customer.write(object, {
      ...asynchronous,
      autoBatchPolicy,
      record: { id: open.id, [title]: 'New' },
    });
    for (const { body } of [one, two])
      expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
    expect((await fieldsOf(customer, kept.id))[title]).toBe('Kept');
    expect((await fieldsOf(customer, open.id))[title]).toBe('New');
  });

  it('selectedFieldSettings rule where both name a field: the other is deprecated [versioning.value-defaults]', async () => {
    expect(writeObjectConfigSchema.properties.selectedValueDefaults.deprecated).toBe(true);
    const customer = await customerWith({
      selectedFieldSettings: { [title]: { default: { stringValue: 'Settings' } } },
      selectedValueDefaults: { [title]: { value: 'Deprecated' } },
    });
    expect((await create(customer, 'Both')).fields[title]).toBe('Settings');
  });

  it('selectedValueDefaults fill what is missing, on update unless never [write-config.value-defaults] [write-config.value-defaults-on-update]', async () => {
    const customer = await customerWith({
      selectedValueDefaults: {
        [title]: { value: 'Unknown' },
        [points]: { value: 7, applyOnUpdate: 'never' },
        [isActive]: { value: true, applyOnUpdate: 'always' },
      },
    });
    const { id, fields } = await create(customer, 'Deprecated');
    expect(fields).toMatchObject({ [title]: 'Unknown', [points]: '7', [isActive]: 'true' });
    await update(customer, id, { [title]: 'a', [points]: 1, [isActive]: false });
    expect(await update(customer, id, { [first]: 'Zoë' })).toMatchObject({
      [title]: 'Unknown',
      [points]: '1',
      [isActive]: 'true',
    });
  });
});
