import { call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: delete', (provider, crm) => {
  const { object, first } = crm;
  const withSettings = (deletionSettings?: { enabled: boolean }): Promise<Customer> => {
    const settings = { objectName: object, ...(deletionSettings ? { deletionSettings } : {}) };
    return createCustomer(stack, { provider, write: [object], config: { write: { objects: { [object]: settings } } } });
  };
  const newRecord = async (customer: Customer, mark: string): Promise<string> =>
    (await customer.write(object, { type: 'create', record: person(crm, mark) })).body.result.recordId;

  it('removes the record when deletionSettings.enabled is true [write.rule-1] [write.rule-1-providers] [write.type]', async () => {
    const customer = await withSettings({ enabled: true });
    const [id, other] = [await newRecord(customer, 'Gone'), await newRecord(customer, 'Stays')];
    const reply = await customer.write(object, { type: 'delete', record: { id } });
    expect(reply).toMatchObject({ status: 200, body: { result: { success: true, recordId: id } } });
    expect((await customer.account.records(object)).map((record) => record.id)).toEqual([other]);
  });

  it.each([undefined, { enabled: false }])(
    'is not permitted with deletionSettings %j [write.rule-1] [errors.rule-4] [write-config.deletion-default]',
    async (deletionSettings) => {
      const customer = await withSettings(deletionSettings);
      const id = await newRecord(customer, 'Kept');
      const reply = await customer.write(object, { type: 'delete', record: { id } });
      expect(reply).toMatchObject({ status: 403, body: { code: 'write.delete-not-enabled' } });
      expect(await customer.account.record(object, id)).toBeDefined();
    },
  );

  it('is permitted with the next request after it was enabled [write.rule-1] [install.write-options]', async () => {
    const customer = await withSettings();
    const id = await newRecord(customer, 'Later');
    expect(await customer.write(object, { type: 'delete', record: { id } })).toMatchObject({ status: 403 });
    const { project, integrationId, groupRef } = customer;
    await call(`${project.url}/integrations/${integrationId}/objects/${object}/config-content`, {
      method: 'PATCH',
      key: project.key,
      body: {
        groupRef,
        action: 'write',
        changes: [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }],
      },
    });
    expect(await customer.write(object, { type: 'delete', record: { id } })).toMatchObject({ status: 200 });
    expect(await customer.account.record(object, id)).toBeUndefined();
  });

  it('is always synchronous [write.mode-delete] [limits.delete]', async () => {
    const customer = await withSettings({ enabled: true });
    const id = await newRecord(customer, 'Mode');
    for (const more of [{ mode: 'asynchronous' }, { retryPolicy: {} }, { autoBatchPolicy: { maxDelayMinutes: 1 } }]) {
      expect(await customer.write(object, { type: 'delete', record: { id }, ...more })).toMatchObject({ status: 400 });
    }
    expect(await customer.account.record(object, id)).toBeDefined();
    const reply = await customer.write(object, { type: 'delete', mode: 'synchronous', record: { id } });
    expect(reply.status).toBe(200);
    // The reply means that it is done.
    expect(await customer.account.record(object, id)).toBeUndefined();
  });

  it('takes a record that contains only id [write.record-delete-id] [limits.delete]', async () => {
    const customer = await withSettings({ enabled: true });
    const id = await newRecord(customer, 'Only');
    for (const record of [{ id, [first]: 'Zoë' }, {}, { [first]: 'Zoë' }]) {
      expect(await customer.write(object, { type: 'delete', record })).toMatchObject({ status: 400 });
    }
    expect(await customer.write(object, { type: 'delete', batch: [{ record: { id } }] })).toMatchObject({
      status: 400,
    });
    expect(await customer.account.record(object, id)).toBeDefined();
  });

  it('of a record that was never there is an error at most, and changes nothing [write.rule-2]', async () => {
    const customer = await withSettings({ enabled: true });
    const id = await newRecord(customer, 'Bystander');
    const reply = await customer.write(object, { type: 'delete', record: { id: crm.absentId } });
    // HubSpot answers 204 to a deletion of nothing, Salesforce refuses it.
    expect([200, 422]).toContain(reply.status);
    expect(await customer.account.record(object, id)).toBeDefined();
  });
});
