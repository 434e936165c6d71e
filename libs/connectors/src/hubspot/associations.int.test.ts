import type { Association } from '@sluice/types';
import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot } = opened));

const contacts = { auth: { accessToken: 'token-12345' }, objectName: 'contacts' };
const defined = (id: string, ...typeIds: readonly number[]): Association => ({
  to: { id },
  types: typeIds.map((associationTypeId) => ({ associationCategory: 'HUBSPOT_DEFINED', associationTypeId })),
});
const own = (id: string, associationTypeId: number): Association => ({
  to: { id },
  types: [{ associationCategory: 'USER_DEFINED', associationTypeId }],
});
const record = (id: string) => ({ id, properties: {}, createdAt: '2026-11-20T12:00:00.000Z', archived: false });
const patched: StubReply = { status: 200, body: record('1') };
/** Every link that was asked for, as HubSpot names it. */
const linked: StubReply = (response) => {
  const [request] = stub.requests.slice(-1) as [(typeof stub.requests)[number]];
  const { inputs } = request.body as { inputs: { from: { id: string }; to: { id: string } }[] };
  const results = inputs.map(({ from, to }) => ({
    fromObjectTypeId: '0-1',
    fromObjectId: Number(from.id),
    toObjectTypeId: '0-2',
    toObjectId: Number(to.id),
    labels: [],
  }));
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: 'COMPLETE', results }));
};
const refused = (message: string, status = 400): StubReply => ({
  status,
  body: { status: 'error', category: 'VALIDATION_ERROR', message, correlationId: 'c-1' },
});
const sent = () => stub.requests.map(({ method, path }) => `${method} ${path}`);
const inputsOf = (at: number) => (stub.requests[at] as { body: { inputs: unknown[] } }).body.inputs;
const linksTo = (object: string) => `POST /crm/associations/2026-03/contacts/${object}/batch/create`;

describe('associations on update', () => {
  test('follow the fields, in one call per object they point to', async () => {
    stub.replyWith(patched, linked);
    const associations = [defined('55', 279, 1), defined('56', 279), defined('7', 4)];
    const result = await hubspot.update({ ...contacts, recordId: '1', fields: { a: 'b' }, associations });
    expect(result).toEqual({ ok: true, recordId: '1', data: record('1') });
    expect(sent()).toEqual(['PATCH /crm/v3/objects/contacts/1', linksTo('companies'), linksTo('deals')]);
    expect(inputsOf(1)).toEqual([
      { from: { id: '1' }, to: { id: '55' }, types: associations[0]?.types },
      { from: { id: '1' }, to: { id: '56' }, types: associations[1]?.types },
    ]);
    expect(inputsOf(2)).toEqual([{ from: { id: '1' }, to: { id: '7' }, types: associations[2]?.types }]);
  });

  test('of a merged record belong to the one that survived', async () => {
    stub.replyWith({ status: 200, body: record('9') }, linked);
    const write = { ...contacts, recordId: '1', fields: { a: 'b' }, associations: [defined('55', 279)] };
    expect(await hubspot.update(write)).toMatchObject({ ok: true, recordId: '9' });
    expect(inputsOf(1)).toMatchObject([{ from: { id: '9' } }]);
  });

  test.each([
    ['0-2', 280, 'contacts'],
    ['companies', 342, 'deals'],
    ['deal', 341, 'companies'],
    ['deals', 3, 'contacts'],
  ])('of %s, type %d, point to %s without asking the schema', async (objectName, typeId, target) => {
    stub.replyWith(linked);
    const write = { ...contacts, objectName, recordId: '1', fields: {}, associations: [defined('55', typeId)] };
    await hubspot.update(write);
    expect(sent()).toEqual([`POST /crm/associations/2026-03/${objectName}/${target}/batch/create`]);
  });
});

describe('a type that only the account knows', () => {
  const schema: StubReply = {
    status: 200,
    body: {
      objectTypeId: '0-1',
      associations: [
        { id: '36', fromObjectTypeId: '0-1', toObjectTypeId: '2-4711', name: 'owner_of' },
        { id: '37', fromObjectTypeId: '2-4711', toObjectTypeId: '0-1', name: 'owned_by' },
        { id: '38', fromObjectTypeId: '0-1', toObjectTypeId: '0-2', name: 'one' },
        { id: '38', fromObjectTypeId: '0-1', toObjectTypeId: '0-3', name: 'other' },
      ],
    },
  };
  const schemaPath = 'GET /crm-object-schemas/2026-03/schemas/contacts';

  test('is resolved by the schema, which is asked once a minute', async () => {
    const call = contacts;
    stub.replyWith(schema, linked);
    const write = { ...call, recordId: '1', fields: {}, associations: [own('55', 36), own('56', 36)] };
    expect(await hubspot.update(write)).toEqual({ ok: true, recordId: '1' });
    await hubspot.update(write);
    const path = linksTo('2-4711');
    expect(sent()).toEqual([schemaPath, path, path]);
  });

  test.each([
    ['of another direction', 37],
    ['that is in the schema twice', 38],
    ['that is in no schema', 99],
    ['that is well known in another category', 279],
  ])('%s is a warning where fields were written', async (_, typeId) => {
    stub.replyWith(patched, schema);
    const write = { ...contacts, recordId: '1', fields: { a: 'b' }, associations: [own('55', typeId)] };
    expect(await hubspot.update(write)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining(`the association type ${typeId} of USER_DEFINED`)],
    });
    expect(sent()).toEqual(['PATCH /crm/v3/objects/contacts/1', schemaPath]);
  });

  test.each([[refused('no scope', 403)], [refused('no schema', 404)]])(
    'is a warning without a schema',
    async (reply) => {
      stub.replyWith(patched, reply);
      const write = { ...contacts, recordId: '1', fields: { a: 'b' }, associations: [own('55', 36)] };
      expect(await hubspot.update(write)).toMatchObject({ ok: true, warnings: [expect.any(String)] });
    },
  );

  test('keeps the record unfinished while the schema cannot be read', async () => {
    stub.replyWith(patched, refused('down', 503));
    const write = { ...contacts, recordId: '1', fields: { a: 'b' }, associations: [own('55', 36)] };
    expect(await hubspot.update(write)).toMatchObject({ ok: false, error: { class: 'unavailable' } });
  });
});

describe('an association that HubSpot does not make', () => {
  test.each<[string, StubReply, string]>([
    ['429', { status: 429, body: { policyName: 'SECONDLY', message: 'limit' } }, 'quota'],
    ['503', { status: 503 }, 'unavailable'],
    ['502, which may have made it', { status: 502 }, 'unavailable'],
    ['401', refused('expired', 401), 'credentials'],
  ])('%s: the record stays unfinished, to be repeated', async (_, reply, failureClass) => {
    stub.replyWith(patched, reply);
    const write = { ...contacts, recordId: '1', fields: { a: 'b' }, associations: [defined('55', 279)] };
    expect(await hubspot.update(write)).toMatchObject({
      ok: false,
      error: { class: failureClass, message: expect.stringMatching(/^The record was updated, an association was not/) },
    });
  });

  test('429: the next object is not asked', async () => {
    stub.replyWith(patched, { status: 429, body: { policyName: 'SECONDLY', message: 'limit' } });
    const associations = [defined('55', 279), defined('7', 4)];
    await hubspot.update({ ...contacts, recordId: '1', fields: { a: 'b' }, associations });
    expect(stub.requests).toHaveLength(2);
  });

  test('is the outcome of an update that had no fields', async () => {
    stub.replyWith(refused('no such company', 404));
    const write = { ...contacts, recordId: '1', fields: {}, associations: [defined('55', 279)] };
    expect(await hubspot.update(write)).toMatchObject({ ok: false, error: { class: 'not-found' } });
  });
});

describe('associations of a batch', () => {
  const ids = ['1', '2', '3', '4'];
  const updated: StubReply = { status: 200, body: { status: 'COMPLETE', results: ids.map(record) } };
  const batchOf = (associations: (id: string) => Association[]) => ({
    ...contacts,
    records: ids.map((recordId) => ({ recordId, fields: { a: 'b' }, associations: associations(recordId) })),
  });

  test('are made for the records that were written, and for those without fields', async () => {
    const missing = { status: 'error', category: 'OBJECT_NOT_FOUND', message: 'gone', context: { ids: ['2'] } };
    stub.replyWith({ status: 207, body: { results: [record('1')], errors: [missing] } }, linked);
    const associations = [defined('55', 279)];
    const results = await hubspot.updateBatch({
      ...contacts,
      records: [
        { recordId: '1', fields: { a: 'b' }, associations },
        { recordId: '2', fields: { a: 'b' }, associations },
        { recordId: '3', fields: {}, associations },
        { recordId: '4', fields: {} },
      ],
    });
    expect(inputsOf(0)).toMatchObject([{ id: '1' }, { id: '2' }, { id: '4' }]);
    expect(inputsOf(1)).toMatchObject([{ from: { id: '1' } }, { from: { id: '3' } }]);
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false]);
  });

  /** Results of the links of these records, in both forms that HubSpot has. */
  const made = (...from: readonly number[]) =>
    from.map((id, at) =>
      at % 2 === 0
        ? { fromObjectTypeId: '0-1', fromObjectId: id, toObjectTypeId: '0-2', toObjectId: Number(`5${id}`) }
        : { from: { id: `${id}` }, to: { id: `5${id}` } },
    );

  test.each<[string, object[], object, boolean[]]>([
    ['an error that names its record', made(1, 3, 4), { ids: ['2'] }, [true, false, true, true]],
    [
      'an error that names the pair in a text',
      made(1, 2, 3),
      { INVALID_OBJECT_IDS: ['CONTACT=4, COMPANY=54'] },
      [true, true, true, false],
    ],
    ['an error that names its target', made(1, 2, 4), { toObjectId: ['53'] }, [true, true, false, true]],
    ['an error that names nothing: what is not in the results', made(1, 3), {}, [true, false, true, false]],
    [
      'an error that names a pair of which another type was made',
      made(1, 2, 3, 4),
      { ids: ['4', '54'] },
      [true, true, true, false],
    ],
  ])('207, %s', async (_, results, context, clean) => {
    const errors = [{ status: 'error', category: 'VALIDATION_ERROR', message: 'bad link', context }];
    stub.replyWith(updated, { status: 207, body: { status: 'COMPLETE', results, errors, numErrors: 1 } });
    const settled = await hubspot.updateBatch(batchOf((id) => [defined(`5${id}`, 279)]));
    expect(settled.map((result) => result.ok && result.warnings === undefined)).toEqual(clean);
    expect(settled.every(({ ok }) => ok)).toBe(true);
    const warnings = settled.flatMap((result) => (result.ok ? (result.warnings ?? []) : []));
    expect(warnings.every((each) => each.endsWith('bad link'))).toBe(true);
  });

  const unshown = "The record was updated, an association was not made: HubSpot's reply does not show it";

  // A reply that leaves a link out is no proof of it, as a record that a batch reply leaves out was not written.
  test.each<[string, object, (string[] | undefined)[]]>([
    ['nothing at all', {}, [[unshown], [unshown], [unshown], [unshown]]],
    ['no result', { status: 'COMPLETE', results: [] }, [[unshown], [unshown], [unshown], [unshown]]],
    [
      'errors that are counted only',
      { results: made(1, 2, 3), numErrors: 1 },
      [undefined, undefined, undefined, [unshown]],
    ],
    [
      'an error of one link, and of another nothing',
      {
        results: made(1, 2),
        errors: [{ category: 'VALIDATION_ERROR', message: 'bad link', context: { ids: ['3', '53'] } }],
      },
      [undefined, undefined, [unshown.replace("HubSpot's reply does not show it", 'bad link')], [unshown]],
    ],
    [
      'a link that nobody asked for',
      { results: [...made(1, 2, 3), { fromObjectId: 4, toObjectId: 99 }] },
      [undefined, undefined, undefined, [unshown]],
    ],
  ])('2xx with %s: what is not shown is a warning', async (_, body, warnings) => {
    stub.replyWith(updated, { status: 201, body });
    const settled = await hubspot.updateBatch(batchOf((id) => [defined(`5${id}`, 279)]));
    expect(settled.map((result) => result.ok && result.warnings)).toEqual(warnings);
  });

  test.each<[string, object]>([
    ['a reply that is PROCESSING', { status: 'PROCESSING', results: made(1, 2, 3) }],
    [
      'an error that may pass',
      { results: made(1, 2, 3), errors: [{ category: 'RATE_LIMITS', message: 'limit', context: {} }] },
    ],
  ])('%s keeps the record unfinished', async (_, body) => {
    stub.replyWith(updated, { status: 207, body });
    const settled = await hubspot.updateBatch(batchOf((id) => [defined(`5${id}`, 279)]));
    expect(settled.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    expect(settled[3]).toMatchObject({ error: { class: 'unavailable' } });
  });

  test('are divided at 2,000 links', async () => {
    const associations = Array.from({ length: 21 }, (_, at) => defined(`5${at}`, 279));
    const records = Array.from({ length: 100 }, (_, at) => ({ recordId: `${at}`, fields: {}, associations }));
    stub.replyWith(linked);
    const results = await hubspot.updateBatch({ ...contacts, records });
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(stub.requests.map((_, at) => inputsOf(at).length)).toEqual([2_000, 100]);
  });

  test('refused for all of them: a bounded number of calls', async () => {
    const many = Array.from({ length: 100 }, (_, at) => ({
      recordId: `${at}`,
      fields: {},
      associations: [defined('55', 279)],
    }));
    stub.replyWith(refused('bad'));
    const settled = await hubspot.updateBatch({ ...contacts, records: many });
    expect(stub.requests).toHaveLength(17);
    expect(settled.every((result) => !result.ok && result.error.class === 'rejected')).toBe(true);
  });
});
