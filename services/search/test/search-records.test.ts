import { sampleManifest, type ProviderAnswer } from '@sluice/testkit';
import { foundRecords, propertyNames } from './fake-hubspot';
import { canary, startSearch, type RunningSearch, type Seed } from './start-search';

let search: RunningSearch;
beforeAll(async () => {
  search = await startSearch();
});
afterAll(() => search.stop());

const byEmail = { objectName: 'contacts', fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@b.c' }] };
const ask = (seed: Seed, body: object = byEmail) => search.post(seed.path).set('x-api-key', seed.key).send(body);

describe('200', () => {
  it('finds by an unmapped field and returns id, fields, mappedFields and raw', async () => {
    const seed = await search.seed();
    search.hubspot.answer = foundRecords({ hs_object_id: '501', email: 'a@b.c', city: null });
    const reply = await ask(seed).set('x-sluice-request-type', 'search').expect(200);
    expect(reply.type).toBe('application/json');
    expect(reply.body).toEqual({
      results: [
        {
          id: '501',
          fields: { hs_object_id: '501', email: 'a@b.c', city: null },
          mappedFields: {},
          raw: expect.objectContaining({ id: '501', archived: false }),
        },
      ],
    });
    expect(search.hubspot.calls.at(-1)).toMatchObject({
      path: '/crm/v3/objects/contacts/search',
      token: canary,
      body: {
        filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: 'a@b.c' }] }],
        properties: propertyNames,
        limit: 100,
      },
    });
  });

  // A caller's text of that kind is refused: UTF-8 does not have it. A customer's own record is shown as it is.
  it('passes on half a surrogate pair of the provider as it came, in values and in names', async () => {
    const seed = await search.seed();
    const properties = { hs_object_id: '501', email: 'a\ud800', 'ci\udfffty': '\udc00 \u{1f600}' };
    search.hubspot.answer = foundRecords(properties);
    const { text, body } = await ask(seed).expect(200);
    expect(text.match(/\\ud800|\\udfff|\\udc00/g)).toHaveLength(6);
    expect(body).toMatchObject({ results: [{ fields: properties, raw: { properties } }] });
  });

  it('says when the provider has more than the page', async () => {
    const seed = await search.seed();
    const { status, body } = foundRecords({ hs_object_id: '501' });
    search.hubspot.answer = { status, body: { ...body, total: 2, paging: { next: { after: '1' } } } };
    expect((await ask(seed).expect(200)).body).toMatchObject({ results: [{ id: '501' }], truncated: true });
  });

  it('takes the integration by its name', async () => {
    const seed = await search.seed();
    search.hubspot.answer = foundRecords({ hs_object_id: '501' });
    const path = seed.path.replace(seed.integrationId, 'crm');
    expect(path).toContain('/integrations/crm?');
    expect((await ask({ ...seed, path }).expect(200)).body).toMatchObject({ results: [{ id: '501' }] });
  });

  // Nothing is declared for contacts, so all that the account has is requested; the account's fields are read once a minute.
  it('requests the fields of the account, and the declared ones where there are some', async () => {
    const objects = [
      { objectName: 'companies' },
      { objectName: 'deals', requiredFields: [{ fieldName: 'dealname' }], optionalFields: [{ fieldName: 'amount' }] },
    ];
    const seed = await search.seed({ manifest: sampleManifest({ read: { objects } }) });
    search.hubspot.answer = foundRecords();
    const from = search.hubspot.calls.length;
    for (const objectName of ['companies', 'companies', 'deals']) {
      await ask(seed, { objectName, fieldFilters: [] }).expect(200);
    }
    const asked = search.hubspot.calls.slice(from);
    expect(asked.map(({ path }) => path)).toEqual([
      '/crm-object-schemas/2026-03/schemas/companies',
      '/crm/v3/properties/companies',
      '/crm/v3/objects/companies/search',
      '/crm/v3/objects/companies/search',
      '/crm/v3/objects/deals/search',
    ]);
    const properties = asked.slice(2).map(({ body }) => (body as { properties: string[] }).properties);
    expect(properties).toEqual([propertyNames, propertyNames, ['dealname']]);
  });

  // A change is in force for the next request, with no timer.
  it('sees a new manifest with the very next search', async () => {
    const seed = await search.seed();
    search.hubspot.answer = foundRecords();
    const deals = { ...byEmail, objectName: 'deals' };
    await ask(seed, deals).expect(404);
    const content = sampleManifest({ read: { objects: [{ objectName: 'deals' }] } });
    const entry = { projectId: seed.projectId, name: 'crm', provider: 'hubspot', specVersion: '1.0.0', content };
    await search.context.store.integrations.putAll(seed.projectId, [entry]);
    expect((await ask(seed, deals)).status).toBe(200);
  });
});

describe('what the provider does', () => {
  const refusal = (status: number, more: object = {}): ProviderAnswer => ({
    status,
    body: { status: 'error', message: 'No.', ...more },
  });

  it.each<[string, ProviderAnswer, { status: number; code: string; retryable: boolean }]>([
    ['refuses the search', refusal(400), { status: 422, code: 'provider.rejected', retryable: false }],
    ['lacks a permission', refusal(403), { status: 422, code: 'provider.forbidden', retryable: false }],
    ['is down', refusal(503), { status: 502, code: 'provider.unavailable', retryable: true }],
    ['does not answer', 'never', { status: 504, code: 'provider.timeout', retryable: true }],
  ])('%s', async (_case, answer, expected) => {
    const seed = await search.seed();
    search.hubspot.answer = answer;
    const reply = await ask(seed).expect(expected.status);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ ...expected, remedy: expect.any(String) });
    expect(reply.text).not.toContain(canary);
    const connection = await search.context.store.connections.find(seed.projectId, seed.connectionId);
    expect(connection?.status).toBe('created');
  });

  it.each<[string, ProviderAnswer, number]>([
    ['is down', refusal(503), 502],
    ['knows no such object', refusal(400, { message: 'Unable to infer object type from: tickets' }), 422],
    ['forbids it, which leaves the choice to it', refusal(403), 200],
  ])('when the fields of the account are read: %s', async (_case, properties, expected) => {
    const seed = await search.seed({ manifest: sampleManifest({ read: { objects: [{ objectName: 'tickets' }] } }) });
    const usual = search.hubspot.properties;
    search.hubspot.properties = properties;
    search.hubspot.answer = foundRecords();
    await ask(seed, { ...byEmail, objectName: 'tickets' }).expect(expected);
    search.hubspot.properties = usual;
  });

  it.each([
    ['for as long as it requests', refusal(429, { policyName: 'TEN_SECONDLY_ROLLING' })],
    ['for ten seconds where it names no time', { status: 429, body: '' }],
  ] as const)('429: blocks the account %s, and a repeated request is refused without a call', async (_, answer) => {
    const seed = await search.seed();
    search.hubspot.answer = answer;
    await ask(seed).expect(429);
    const asked = search.hubspot.calls.length;
    search.hubspot.answer = foundRecords();
    const reply = await ask(seed).expect(429);
    expect(reply.body.detail).toContain('Nothing was sent.');
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(10);
    expect(search.hubspot.calls).toHaveLength(asked);
  });

  // HubSpot's limit of searches is not the account's: a write of the same account continues.
  it('429 of the limit that searches have for themselves: blocks searches alone, and who comes again waits a moment', async () => {
    const seed = await search.seed();
    const { laneId } = await search.context.installations.resolve({
      ...seed,
      withinProjectId: seed.projectId,
      projectIdOrName: seed.projectId,
    });
    search.hubspot.answer = refusal(429, { policyName: 'SECONDLY', groupName: 'publicapi:crm:search' });
    await ask(seed).expect(429);
    expect(await search.context.store.writes.readLaneBlock({ projectId: seed.projectId, laneId })).toBe(0);
    const asked = search.hubspot.calls.length;
    search.hubspot.answer = foundRecords();
    const before = performance.now();
    await ask(seed).expect(200);
    // The block began a little before the first reply came.
    expect(performance.now() - before).toBeGreaterThan(500);
    expect(search.hubspot.calls).toHaveLength(asked + 1);
  });

  it('more searches than the provider takes in a second wait for their turn, and are refused with a time when they are too many', async () => {
    const seed = await search.seed();
    search.hubspot.answer = foundRecords();
    await ask(seed).expect(200);
    const from = search.hubspot.calls.length;
    const before = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, () => ask(seed)));
    const windows = Math.ceil((performance.now() - before) / 1_000) + 1;
    const served = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 429);
    expect(served.length + refused.length).toBe(40);
    expect(served.length).toBeGreaterThan(5);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(search.hubspot.calls.length - from).toBeLessThanOrEqual(5 * windows);
    expect(served).toHaveLength(search.hubspot.calls.length - from);
  });
});

describe('bad input', () => {
  const filter = byEmail.fieldFilters[0];

  it.each<[string, object, string]>([
    ['another operator', { ...byEmail, fieldFilters: [{ ...filter, operator: 'gt' }] }, 'fieldFilters[0].operator'],
    [
      'an endless value',
      { ...byEmail, fieldFilters: [{ ...filter, value: 'x'.repeat(2_000) }] },
      'fieldFilters[0].value',
    ],
    ['too many filters', { ...byEmail, fieldFilters: Array.from({ length: 21 }, () => filter) }, 'fieldFilters'],
    ['an unknown field', { ...byEmail, limit: 5 }, 'limit'],
    ['an unknown field in a filter', { ...byEmail, fieldFilters: [{ ...filter, not: true }] }, 'fieldFilters[0].not'],
  ])('[sec-39] 400 %s: names the field, calls no provider, writes nothing', async (_case, body, name) => {
    const seed = await search.seed();
    const [rows, asked] = [await search.countRows(), search.hubspot.calls.length];
    const reply = await ask(seed, body).expect(400);
    expect((reply.body as { issues: { name: string }[] }).issues.map((issue) => issue.name)).toContain(name);
    expect(search.hubspot.calls).toHaveLength(asked);
    expect(await search.countRows()).toEqual(rows);
  });

  it('400 without, with an empty and with two groupRefs', async () => {
    const seed = await search.seed();
    const path = seed.path.replace(/\?.*/, '');
    for (const query of ['', '?groupRef=', '?groupRef=a&groupRef=b']) {
      const reply = await search.post(`${path}${query}`).set('x-api-key', seed.key).send(byEmail).expect(400);
      expect(reply.body).toMatchObject({ issues: [{ in: 'query', name: 'groupRef' }] });
    }
  });

  it.each(['write', ''])('[sec-9] 400 another request type: %j', async (value) => {
    const reply = await ask(await search.seed())
      .set('X-Sluice-Request-Type', value)
      .expect(400);
    expect(reply.body).toMatchObject({ issues: [{ in: 'header', name: 'x-sluice-request-type', value }] });
  });
});
