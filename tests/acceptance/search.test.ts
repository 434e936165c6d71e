import { ask } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: search', (provider, crm) => {
  const { object, first, last, email, city } = crm;
  let customer: Customer;
  beforeAll(async () => {
    const fields = { requiredFields: [last, email, first, city].map((fieldName) => ({ fieldName })) };
    customer = await createCustomer(stack, { provider, read: [{ objectName: object, ...fields }], write: [object] });
    const people = ['Ana', 'Bea', 'Cleo'].map((name, index) => ({
      record: person(crm, `Find-${name}`, { [first]: name, [city]: index === 0 ? 'Bern' : "L'Aquila" }),
    }));
    await customer.write(object, { type: 'create', batch: people });
  });
  const url = (base = stack.searchUrl) =>
    `${base}/projects/${customer.project.id}/integrations/${customer.integrationId}`;
  const body = { objectName: '', fieldFilters: [{ fieldName: last, operator: 'eq', value: 'Find-Ana' }] };

  it('answers at once with the matching records as the provider holds them [service.rule-4] [search.response] [search.provider-name]', async () => {
    const { status, body: found } = await customer.search(object, { [last]: 'Find-Ana' });
    expect(status).toBe(200);
    const stored = (await customer.account.records(object)).find(({ fields }) => fields[last] === 'Find-Ana');
    expect(found.results).toHaveLength(1);
    expect(found.results[0]?.id).toBe(stored?.id);
    expect(found.results[0]?.fields).toMatchObject({ [last]: 'Find-Ana', [first]: 'Ana', [city]: 'Bern' });
  });

  it('each item has id, fields, mappedFields and the unmodified record [search-result.id] [search-result.fields] [search-result.raw]', async () => {
    const { body: found } = await customer.search(object, { [last]: 'Find-Bea' });
    const [item] = found.results;
    expect(Object.keys(item ?? {}).toSorted()).toEqual(['fields', 'id', 'mappedFields', 'raw']);
    expect(item?.mappedFields).toEqual({});
    const values = { [last]: 'Find-Bea', [first]: 'Bea' };
    const asTheProviderSays = {
      hubspot: { id: item?.id, properties: values },
      salesforce: { Id: item?.id, attributes: { type: object }, ...values },
    };
    expect(item?.raw).toMatchObject(asTheProviderSays[provider]);
  });

  it('mapped fields stand apart, under their mapped names [search-result.mapped-fields] [search.mapped-name]', async () => {
    const searched = {
      objectName: object,
      requiredFields: [{ fieldName: last, mapToName: 'surname' }, { fieldName: first }],
    };
    const mapped = await createCustomer(stack, {
      provider,
      read: [searched],
      account: customer.account,
      project: customer.project,
    });
    const { body: found } = await mapped.search(object, { surname: 'Find-Cleo' });
    expect(found.results).toMatchObject([{ mappedFields: { surname: 'Find-Cleo' }, fields: { [first]: 'Cleo' } }]);
    expect(found.results[0]?.fields).not.toHaveProperty(last);
  });

  it('several filters stand in one list and hold together [search.filters-together] [search.body]', async () => {
    const both = await customer.search(object, { [city]: "L'Aquila", [first]: 'Bea' });
    expect(both.body.results).toMatchObject([{ fields: { [last]: 'Find-Bea' } }]);
    expect((await customer.search(object, { [city]: "L'Aquila" })).body.results).toHaveLength(2);
    expect((await customer.search(object, { [city]: 'Bern', [first]: 'Bea' })).body.results).toEqual([]);
  });

  it('a value is a value, whatever signs it holds [search.body]', async () => {
    for (const value of ["' OR Name LIKE '%", '\\', '"', '%', 'Žofie 😀', "L'Aquila' "]) {
      expect(await customer.search(object, { [city]: value })).toMatchObject({ status: 200, body: { results: [] } });
    }
  });

  it('returns one page of provider results with one call [limits.search] [service.rule-4]', async () => {
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        record: person(crm, `Page-${from + index}`, { [city]: 'Pagetown' }),
      }));
    for (const [from, count] of [
      [0, 100],
      [100, 20],
    ] as const) {
      expect(await customer.write(object, { type: 'create', batch: many(from, count) })).toMatchObject({ status: 200 });
    }
    const before = (await customer.account.calls()).length;
    const { status, body: found } = await customer.search(object, { [city]: 'Pagetown' });
    expect(status).toBe(200);
    expect(found.results).toHaveLength(100);
    expect(new Set(found.results.map(({ id }) => id)).size).toBe(100);
    expect(found).not.toHaveProperty('pagination');
    expect((await customer.account.calls()).length - before).toBe(1);
  });

  it('the address names project and integration under /v1, the query the group [search.path] [search.group-ref] [versioning.rule-1]', async () => {
    const { key, name, id } = customer.project;
    const request = { key, body: { ...body, objectName: object } };
    for (const projectName of [id, name]) {
      const path = url().replace(id, projectName);
      expect(new URL(path).pathname).toMatch(/^\/v1\/projects\//);
      expect(await ask(`${path}?groupRef=${customer.groupRef}`, request)).toMatchObject({ status: 200 });
    }
    expect(await ask(url(), request)).toMatchObject({ status: 400 });
    expect(await ask(`${url()}?groupRef=nobody`, request)).toMatchObject({ status: 404 });
    const withoutVersion = url(stack.searchUrl.replace('/v1', ''));
    expect(await ask(`${withoutVersion}?groupRef=${customer.groupRef}`, request)).toMatchObject({ status: 404 });
  });

  it('the request type header says search [search.request-type]', async () => {
    const request = { key: customer.project.key, body: { ...body, objectName: object } };
    const to = `${url()}?groupRef=${customer.groupRef}`;
    const typed = (type: string) => ask(to, { ...request, headers: { 'x-sluice-request-type': type } });
    expect(await typed('search')).toMatchObject({ status: 200 });
    expect(await typed('read')).toMatchObject({ status: 400 });
  });

  it.each([
    ['no objectName', { fieldFilters: [] }, 'objectName'],
    ['fieldFilters that are no list', { objectName: object, fieldFilters: {} }, 'fieldFilters'],
    [
      'a filter without fieldName',
      { objectName: object, fieldFilters: [{ operator: 'eq', value: 'a' }] },
      'fieldFilters[0].fieldName',
    ],
    [
      'a filter without operator',
      { objectName: object, fieldFilters: [{ fieldName: last, value: 'a' }] },
      'fieldFilters[0].operator',
    ],
    [
      'a filter without value',
      { objectName: object, fieldFilters: [{ fieldName: last, operator: 'eq' }] },
      'fieldFilters[0].value',
    ],
  ])('refuses %s [search.body]', async (_case, wrong, name) => {
    const request = { key: customer.project.key, body: wrong };
    const reply = await ask<{ issues: { name: string }[] }>(`${url()}?groupRef=${customer.groupRef}`, request);
    expect(reply.status).toBe(400);
    expect(reply.body.issues.map((issue) => issue.name)).toContain(name);
  });
});
