import { contacts, startClient, type Client, type WireRecord } from './sandbox-client';

let client: Client;
beforeAll(async () => {
  client = await startClient({}, { limits: { perTenSeconds: 0 } });
});
afterAll(() => client.close());
beforeEach(() => client.reset());

const emails = (...names: string[]) => names.map((name) => ({ properties: { email: `${name}@example.com` } }));
const traced = (inputs: object[]) => inputs.map((input, index) => ({ ...input, objectWriteTraceId: String(index) }));
const batch = (kind: string, inputs: unknown, more: object = {}) =>
  client.call('POST', `${contacts}/batch/${kind}`, { inputs, ...more });

describe('batch create', () => {
  it('creates all, in input order, and answers 201 without errors', async () => {
    const { status, body } = await batch('create', traced(emails('a', 'b', 'c')));
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'COMPLETE', startedAt: expect.any(String), completedAt: expect.any(String) });
    expect(body).not.toHaveProperty('errors');
    expect(body.results.map((one: WireRecord) => one.properties.email)).toEqual([
      'a@example.com',
      'b@example.com',
      'c@example.com',
    ]);
    expect(body.results[0]).not.toHaveProperty('objectWriteTraceId');
    expect(body.results[0].properties).toHaveProperty('hs_object_source');
  });

  it('with trace ids writes what it can: 207 names the failed inputs', async () => {
    const id = await client.create({ email: 'b@example.com' });
    const inputs = traced([...emails('a', 'B', 'c', 'a'), { properties: { email: 'nobody' } }]);
    const { status, body } = await batch('create', inputs);
    expect(status).toBe(207);
    expect(body.results.map((one: WireRecord) => one.properties.email)).toEqual(['a@example.com', 'c@example.com']);
    expect(body.numErrors).toBe(3);
    expect(body.errors[0]).toEqual({
      status: 'error',
      category: 'CONFLICT',
      message: `Contact already exists. Existing ID: ${id}`,
      context: { objectWriteTraceId: ['1'], existingId: [id] },
    });
    expect(body.errors[1].context).toEqual({ objectWriteTraceId: ['3'], existingId: [body.results[0].id] });
    expect(body.errors[2]).toMatchObject({ category: 'VALIDATION_ERROR', context: { objectWriteTraceId: ['4'] } });
    expect(await client.records()).toHaveLength(3);
  });

  it.each<[string, () => object[]]>([
    ['without trace ids', () => emails('a', 'b', 'c')],
    [
      'with a trace id missing',
      () =>
        traced(emails('a', 'b', 'c')).map((input, index) =>
          index ? input : { ...input, objectWriteTraceId: undefined },
        ),
    ],
    ['with a trace id twice', () => emails('a', 'b', 'c').map((input) => ({ ...input, objectWriteTraceId: '0' }))],
  ])('%s writes all or nothing, and does not say who is in the way', async (_name, inputs) => {
    await client.create({ email: 'c@example.com' });
    const { status, body } = await batch('create', inputs());
    expect(status).toBe(409);
    expect(body).toEqual({
      status: 'error',
      message: 'Contact already exists',
      correlationId: expect.any(String),
      category: 'CONFLICT',
    });
    expect(await client.records()).toHaveLength(1);
  });

  it('all or nothing also checks within the batch', async () => {
    expect((await batch('create', emails('a', 'A'))).status).toBe(409);
    expect((await batch('create', [...emails('a'), { properties: { email: 'x' } }])).status).toBe(400);
    expect(await client.records()).toEqual([]);
  });

  it('refuses the whole call for an unknown property in any input, also with trace ids', async () => {
    const { status, body } = await batch('create', traced([...emails('a'), { properties: { shoe: '1' } }]));
    expect([status, body.category, body.errors.length]).toEqual([400, 'VALIDATION_ERROR', 1]);
    expect(await client.records()).toEqual([]);
  });
});

describe.each(['create', 'update', 'read'])('batch %s', (kind) => {
  const input = { id: '1', properties: {} };
  it.each<[string, unknown, string]>([
    ['no inputs', undefined, 'Some required fields were not set: [inputs]'],
    ['an empty list', [], 'inputs must not be empty'],
    [
      '101 inputs',
      Array.from({ length: 101 }, (_, id) => ({ ...input, id: String(id) })),
      'The maximum number of inputs supported in a batch is 100. Please reduce the number of items and try again',
    ],
    ['an input that is no object', ['1'], 'Some required fields were not set: [inputs]'],
  ])('refuses %s', async (_name, inputs, message) => {
    const { status, body } = await batch(kind, inputs);
    expect(status).toBe(400);
    expect(body.message).toContain(message);
  });
});

describe('batch update', () => {
  it('answers in the order of ids, not of inputs', async () => {
    const ids = [await client.create({}), await client.create({}), await client.create({})];
    const { status, body } = await batch(
      'update',
      ids.toReversed().map((id) => ({ id, properties: { city: `of ${id}` } })),
    );
    expect(status).toBe(200);
    expect(body.results.map((one: WireRecord) => [one.id, one.properties.city])).toEqual(
      ids.map((id) => [id, `of ${id}`]),
    );
  });

  it('is partial in every mode, and reports the missing together', async () => {
    const id = await client.create({ email: 'a@example.com' });
    const inputs = [{ id: '7' }, { id }, { id: '8' }].map((input) => ({ ...input, properties: { city: 'Oslo' } }));
    const { status, body } = await batch('update', inputs);
    expect([status, body.results.length, body.numErrors]).toEqual([207, 1, 1]);
    expect(body.errors).toEqual([
      {
        status: 'error',
        category: 'OBJECT_NOT_FOUND',
        message: 'Could not get some CONTACT objects, they may be deleted or not exist. Check that ids are valid.',
        context: { ids: ['7', '8'] },
      },
    ]);
  });

  it('reports traced inputs one by one', async () => {
    await client.create({ email: 'b@example.com' });
    const id = await client.create({ email: 'a@example.com' });
    const inputs = traced([
      { id: '7', properties: {} },
      { id, properties: { email: 'b@example.com' } },
    ]);
    const { status, body } = await batch('update', inputs);
    expect(status).toBe(207);
    expect(body.errors).toMatchObject([
      { category: 'CONFLICT', context: { ids: [id], objectWriteTraceId: ['1'] } },
      { category: 'OBJECT_NOT_FOUND', context: { ids: ['7'], objectWriteTraceId: ['0'] } },
    ]);
  });

  it('refuses one id twice', async () => {
    const { status, body } = await batch(
      'update',
      ['123456', '123456'].map((id) => ({ id, properties: {} })),
    );
    expect(status).toBe(400);
    expect(body).toEqual({
      status: 'error',
      message: 'Duplicate IDs found in batch input: [123456]. IDs must be unique',
      correlationId: expect.any(String),
      context: { ids: ['123456'] },
      category: 'VALIDATION_ERROR',
    });
  });

  it('finds contacts by email, and then sees that two inputs are one contact', async () => {
    const id = await client.create({ email: 'a@example.com' });
    const byEmail = { id: ' A@example.com', idProperty: 'email', properties: { city: 'Oslo' } };
    expect((await batch('update', [byEmail])).body.results[0].id).toBe(id);
    expect((await batch('update', [byEmail, { id, properties: {} }])).status).toBe(400);
  });
});

describe('batch read', () => {
  it('answers 200 with what was asked for, in the order of ids', async () => {
    const ids = [await client.create({ city: 'Oslo' }), await client.create({})];
    const { status, body } = await batch(
      'read',
      ids.toReversed().map((id) => ({ id })),
      { properties: ['city'] },
    );
    expect(status).toBe(200);
    expect(body.results.map((one: WireRecord) => [one.id, one.properties.city])).toEqual([
      [ids[0], 'Oslo'],
      [ids[1], null],
    ]);
  });

  it('reads by email, 207 for the unknown ones', async () => {
    const id = await client.create({ email: 'a@example.com' });
    const inputs = [{ id: 'A@example.com' }, { id: 'b@example.com' }];
    const { status, body } = await batch('read', inputs, { idProperty: 'email' });
    expect([status, body.results[0].id]).toEqual([207, id]);
    expect(body.errors[0]).toMatchObject({ category: 'OBJECT_NOT_FOUND', context: { ids: ['b@example.com'] } });
  });

  it('refuses one id twice and an idProperty that is not unique', async () => {
    expect((await batch('read', [{ id: '1' }, { id: '1' }])).status).toBe(400);
    expect((await batch('read', [{ id: '1' }], { idProperty: 'city' })).status).toBe(400);
  });
});

it('carries a hundred inputs in one call', async () => {
  const inputs = traced(emails(...Array.from({ length: 100 }, (_, index) => `n${index}`)));
  expect((await batch('create', inputs)).status).toBe(201);
  const [entry] = await client.ledger();
  expect(entry).toMatchObject({ action: 'batch-create', records: 100, applied: 100, status: 201 });
  expect(entry?.recordIds).toHaveLength(100);
});
