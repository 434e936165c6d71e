import { until } from '@sluice/testkit';
import type { ConfigContent } from '@sluice/types';
import { call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: field and value mappings', (provider, crm) => {
  const { object, first, last, email, phone, title, city, level, levels } = crm;
  const fields = {
    requiredFields: [{ fieldName: last, mapToName: 'surname' }, { fieldName: email }],
    optionalFields: [{ mapToName: 'job' }, { mapToName: 'nickname' }, { fieldName: city }],
  };
  const read = [{ objectName: object, ...fields }];
  const inheriting = [{ objectName: object, inheritMapping: true }];
  const chosen: Omit<ConfigContent, 'provider'> = {
    read: {
      objects: {
        [object]: {
          objectName: object,
          selectedFields: { [city]: true, [phone]: false },
          selectedFieldMappings: { job: title },
          selectedValueMappings: { [level]: { top: levels[0], low: levels[1] } },
          dynamicMappingsInput: [
            { mapToName: 'given', mapToDisplayName: 'Given name', fieldName: first },
            { mapToName: 'rank', prompt: 'Which field?', fieldName: level, mappedValues: [] },
          ],
        },
      },
    },
  };
  const storedOf = async (customer: Customer, id: string) => (await customer.account.record(object, id))?.fields ?? {};
  const create = async (customer: Customer, record: object) => {
    const reply = await customer.write(object, { type: 'create', record });
    expect(reply).toMatchObject({ status: 200 });
    return reply.body.result.recordId;
  };

  describe('with inheritMapping', () => {
    let customer: Customer;
    beforeAll(async () => {
      customer = await createCustomer(stack, { provider, read, write: inheriting, config: chosen });
    });

    it('a write goes to the field the customer mapped [write.rule-6] [manifest.inherit-mapping] [read-config.selected-field-mappings]', async () => {
      const id = await create(customer, { surname: 'Map-1', [email]: 'map-1@example.com', job: 'Chief' });
      expect(await storedOf(customer, id)).toMatchObject({ [last]: 'Map-1', [title]: 'Chief' });
      const record = { id, job: 'Other' };
      expect(await customer.write(object, { type: 'update', record })).toMatchObject({ status: 200 });
      expect((await storedOf(customer, id))[title]).toBe('Other');
    });

    it('the manifest and the user both name mappings, and search knows them too [service.rule-5] [search.mapped-name]', async () => {
      const id = await create(customer, {
        surname: 'Map-2',
        [email]: 'map-2@example.com',
        job: 'Chief',
        [city]: 'Bern',
      });
      for (const filters of [{ surname: 'Map-2' }, { surname: 'Map-2', job: 'Chief' }]) {
        const { status, body } = await customer.search(object, filters);
        expect(status).toBe(200);
        expect(body.results).toMatchObject([{ id, mappedFields: { surname: 'Map-2', job: 'Chief' } }]);
        expect(body.results[0]?.fields).toMatchObject({ [city]: 'Bern' });
        for (const name of [last, title]) expect(body.results[0]?.fields).not.toHaveProperty(name);
      }
    });

    it('a dynamic mapping with a fieldName needs no choice of the user [read-config.dynamic-field-name]', async () => {
      const id = await create(customer, { surname: 'Map-3', [email]: 'map-3@example.com', given: 'Zoë' });
      expect((await storedOf(customer, id))[first]).toBe('Zoë');
      const { body } = await customer.search(object, { given: 'Zoë' });
      expect(body.results).toMatchObject([{ id, mappedFields: { given: 'Zoë' } }]);
    });

    it('a value is delivered as the key and kept as the value at the provider [read-config.selected-value-mappings]', async () => {
      const id = await create(customer, { surname: 'Map-4', [email]: 'map-4@example.com', rank: 'top' });
      expect((await storedOf(customer, id))[level]).toBe(levels[0]);
      const { body } = await customer.search(object, { rank: 'top', surname: 'Map-4' });
      expect(body.results).toMatchObject([{ id, mappedFields: { rank: 'top' } }]);
      expect(JSON.stringify(body.results[0]?.raw)).toContain(levels[0]);
    });

    it('holds for each record of a batch, and for asynchronous and auto-batched writes [write.rule-6]', async () => {
      const record = (mark: string) => ({ surname: mark, [email]: `${mark}@example.com`, job: 'Chief', rank: 'low' });
      const batch = [{ record: record('Many-1') }, { record: record('Many-2') }];
      expect(await customer.write(object, { type: 'create', batch })).toMatchObject({ status: 200 });
      const later = { type: 'create', mode: 'asynchronous' };
      const one = await customer.write(object, { ...later, record: record('Many-3') });
      const autoBatchPolicy = { maxDelayMinutes: 1 };
      const two = await customer.write(object, { ...later, record: record('Many-4'), autoBatchPolicy });
      for (const { body } of [one, two]) await customer.ended(body.operationId);
      const many = (await customer.account.records(object)).filter(({ fields: held }) =>
        String(held[last]).startsWith('Many-'),
      );
      expect(many).toHaveLength(4);
      for (const { fields: held } of many) expect(held).toMatchObject({ [title]: 'Chief', [level]: levels[1] });
    });

    it('a mapping that the user left open is left out of the write [write.rule-6]', async () => {
      const id = await create(customer, { surname: 'Map-5', [email]: 'map-5@example.com', nickname: 'Zo' });
      expect(await storedOf(customer, id)).not.toHaveProperty('nickname');
    });

    it('an unmapped provider name stays as it is [search.provider-name]', async () => {
      const id = await create(customer, { surname: 'Map-6', [email]: 'map-6@example.com' });
      const { body } = await customer.search(object, { [email]: 'map-6@example.com' });
      expect(body.results).toMatchObject([{ id, fields: { [email]: 'map-6@example.com' } }]);
    });
  });

  it('a mapped field is read although selectedFields does not list it [read-config.selected-fields-mapped] [read-config.selected-fields]', async () => {
    const optionalFields = [{ fieldName: city }, { fieldName: phone }, { mapToName: 'job' }];
    const declared = [{ objectName: object, requiredFields: [{ fieldName: last }], optionalFields }];
    const customer = await createCustomer(stack, { provider, read: declared, write: [object], config: chosen });
    const more = { [city]: 'Bern', [phone]: '+41 1', [title]: 'Chief' };
    await create(customer, person(crm, 'Select', more));
    const { body } = await customer.search(object, { [last]: 'Select' });
    expect(body.results[0]?.mappedFields).toMatchObject({ job: 'Chief' });
    expect(body.results[0]?.fields).toMatchObject({ [city]: 'Bern' });
    expect(body.results[0]?.fields).not.toHaveProperty(phone);
  });

  it('selectedFieldsAuto all reads all fields [read-config.selected-fields-auto]', async () => {
    const config = { read: { objects: { [object]: { objectName: object, selectedFieldsAuto: 'all' as const } } } };
    const customer = await createCustomer(stack, { provider, read: [object], write: [object], config });
    await create(customer, person(crm, 'Auto', { [city]: 'Bern', [phone]: '+41 1', [level]: levels[0] }));
    const { body } = await customer.search(object, { [last]: 'Auto' });
    expect(body.results[0]?.fields).toMatchObject({ [city]: 'Bern', [phone]: '+41 1', [level]: levels[0] });
  });

  it('without inheritMapping names go to the provider as they are [manifest.inherit-mapping]', async () => {
    const customer = await createCustomer(stack, { provider, read, write: [object], config: chosen });
    const id = await create(customer, person(crm, 'Plain', { [title]: 'Chief' }));
    expect((await storedOf(customer, id))[title]).toBe('Chief');
    const reply = await customer.write(object, { type: 'create', record: person(crm, 'Mapped', { job: 'Chief' }) });
    expect(reply).toMatchObject({ status: 422 });
  });

  it('the config can ask for the mappings as well as the manifest [write-config.inherit-mapping]', async () => {
    const config = { ...chosen, write: { objects: { [object]: { objectName: object, inheritMapping: true } } } };
    const customer = await createCustomer(stack, { provider, read, write: [object], config });
    const id = await create(customer, { surname: 'Config', [email]: 'config@example.com', job: 'Chief' });
    expect(await storedOf(customer, id)).toMatchObject({ [last]: 'Config', [title]: 'Chief' });
  });

  it('dropUnmappedFields, enabled for a project, drops what no mapping knows [write.rule-6-unmapped]', async () => {
    const customer = await createCustomer(stack, { provider, read, write: inheriting, config: chosen });
    const record = { surname: 'Drop-1', [email]: 'drop-1@example.com', [phone]: '+41 1', job: 'Chief' };
    expect((await storedOf(customer, await create(customer, record)))[phone]).toBe('+41 1');
    const body = { updateMask: ['dropUnmappedFields'], project: { dropUnmappedFields: true } };
    await call(customer.project.url, { method: 'PATCH', key: stack.adminKey, body });
    // In force within a second, the age of what a gateway remembers.
    let made = 0;
    const stored = await until('the field is dropped', async () => {
      const mark = `Drop-${(made += 1) + 1}`;
      const id = await create(customer, { ...record, surname: mark, [email]: `${mark}@example.com` });
      const held = await storedOf(customer, id);
      return (held[phone] ?? '') === '' ? held : undefined;
    });
    expect(stored).toMatchObject({ [title]: 'Chief' });
  });
});
