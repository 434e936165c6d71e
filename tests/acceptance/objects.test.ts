import type { ProviderName } from '../harness/account';
import { createCustomer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';

const stack = sharedStack();

interface ObjectCase {
  readonly provider: ProviderName;
  readonly object: string;
  readonly record: Readonly<Record<string, string>>;
  readonly change: Readonly<Record<string, string>>;
}

const salesforceLead = { LastName: 'Lead', Company: 'Acme' };
const opportunity = { Name: 'Big deal', StageName: 'Prospecting', CloseDate: '2030-01-31' };
const objects: ObjectCase[] = [
  { provider: 'hubspot', object: 'contacts', record: { email: 'o@example.com' }, change: { jobtitle: 'Chief' } },
  { provider: 'hubspot', object: 'companies', record: { name: 'Acme' }, change: { city: 'Bern' } },
  { provider: 'hubspot', object: 'deals', record: { dealname: 'Big deal' }, change: { amount: '100' } },
  { provider: 'salesforce', object: 'Account', record: { Name: 'Acme' }, change: { Site: 'Bern' } },
  { provider: 'salesforce', object: 'Contact', record: { LastName: 'Person' }, change: { Title: 'Chief' } },
  { provider: 'salesforce', object: 'Lead', record: salesforceLead, change: { Title: 'Chief' } },
  { provider: 'salesforce', object: 'Opportunity', record: opportunity, change: { NextStep: 'Call' } },
];

// Each object of the two CRMs that we know of, through its whole life.
describe.each(objects)('$provider $object', ({ provider, object, record, change }) => {
  it('is created, updated, found and deleted [write.object-name] [write.type] [service.rule-3]', async () => {
    const config = { write: { objects: { [object]: { objectName: object, deletionSettings: { enabled: true } } } } };
    const customer = await createCustomer(stack, { provider, read: [object], write: [object], config });
    const created = await customer.write(object, { type: 'create', record });
    expect(created).toMatchObject({ status: 200, body: { result: { success: true } } });
    const id = created.body.result.recordId;
    expect((await customer.account.record(object, id))?.fields).toMatchObject(record);
    expect(await customer.write(object, { type: 'update', record: { id, ...change } })).toMatchObject({ status: 200 });
    expect((await customer.account.record(object, id))?.fields).toMatchObject({ ...record, ...change });
    const [field = ''] = Object.keys(record);
    const filter = { [field]: record[field] };
    const found = await customer.search(object, filter);
    expect(found.body.results).toMatchObject([{ id }]);
    expect(await customer.write(object, { type: 'delete', record: { id } })).toMatchObject({ status: 200 });
    expect(await customer.account.records(object)).toEqual([]);
    expect((await customer.search(object, filter)).body.results).toEqual([]);
  });

  it('is created in batches, asynchronously and by auto-batches [write.batch] [write.rule-3]', async () => {
    const customer = await createCustomer(stack, { provider, write: [object] });
    const [field = ''] = Object.keys(record);
    // In front, where it fits a name and an address of mail alike.
    const numbered = (index: number) => ({ ...record, [field]: `${index}${record[field] ?? ''}` });
    const batch = await customer.write(object, {
      type: 'create',
      batch: [1, 2].map((at) => ({ record: numbered(at) })),
    });
    expect(batch).toMatchObject({ status: 200, body: { successCount: 2 } });
    const later = { type: 'create', mode: 'asynchronous' };
    const one = await customer.write(object, { ...later, record: numbered(3) });
    const two = await customer.write(object, {
      ...later,
      record: numbered(4),
      autoBatchPolicy: { maxDelayMinutes: 1 },
    });
    for (const { body } of [one, two])
      expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
    expect(await customer.account.records(object)).toHaveLength(4);
  });
});
