import { sampleConfig, sampleManifest } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();
let seed: Seed;
beforeAll(async () => {
  seed = await gateway.seed({
    manifest: sampleManifest({
      read: { objects: [{ objectName: 'contacts', optionalFields: [{ mapToName: 'nick' }] }] },
      write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
    }),
    config: sampleConfig({
      read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: { mail: 'email' } } } },
      write: {
        objects: {
          contacts: {
            objectName: 'contacts',
            deletionSettings: { enabled: true },
            selectedFieldSettings: {
              phone: { writeOnUpdate: 'ifEmpty' },
              source: { default: { stringValue: 'web' }, writeOnUpdate: 'never' },
            },
          },
        },
      },
    }),
  });
});

/** Plans, and proves that nothing was stored, announced, counted or called. */
async function dryRun(body: object, status = 200, query = '?dryRun=true') {
  const before = await gateway.countRows();
  const spied = jest.spyOn(gateway.context.quotas, 'take');
  const request = gateway.post(`${seed.path}${query}`).set('x-api-key', seed.key).set('Idempotency-Key', 'k');
  const reply = await request.send({ groupRef: seed.groupRef, ...body }).expect(status);
  expect(spied).not.toHaveBeenCalled();
  spied.mockRestore();
  expect(await gateway.countRows()).toEqual(before);
  expect(gateway.hubspot.calls).toEqual([]);
  expect(gateway.announced).toEqual({ autoBatched: [], ready: [] });
  return reply.body as { code?: string; plan?: object[] };
}

const sent = { reason: 'sent in the request', sent: true };

describe('200', () => {
  it('one record: each field with where it goes and why, then the defaults', async () => {
    expect(await dryRun({ type: 'create', record: { mail: 'a@x.com', nick: 'Z', age: null } })).toEqual({
      plan: [
        { field: 'mail', providerField: 'email', value: 'a@x.com', ...sent },
        { field: 'nick', value: 'Z', reason: 'the user chose no field for this mapped name', sent: false },
        { field: 'age', providerField: 'age', value: null, ...sent },
        {
          field: 'source',
          providerField: 'source',
          value: 'web',
          reason: 'default of selectedFieldSettings',
          sent: true,
        },
      ],
    });
  });

  it('an update: ifEmpty reports that the provider decides, a default that is not written has a reason', async () => {
    expect(await dryRun({ type: 'update', record: { id: '7', phone: '1' } })).toEqual({
      plan: [
        {
          field: 'phone',
          providerField: 'phone',
          value: '1',
          reason: 'sent in the request; writeOnUpdate is ifEmpty: written only if the field is empty at the provider',
          sent: true,
        },
        { field: 'source', providerField: 'source', value: 'web', reason: 'writeOnUpdate is never', sent: false },
      ],
    });
  });

  it('a batch: a plan per record, in request order', async () => {
    const batch = [{ record: { mail: 'a' } }, { record: { mail: 'b' } }];
    expect(await dryRun({ type: 'create', batch })).toMatchObject({
      plans: [{ plan: [{ value: 'a' }, {}] }, { plan: [{ value: 'b' }, {}] }],
    });
  });

  it('associations are shown beside the fields, as they would be made', async () => {
    const links = (id: string) => [
      { to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] },
    ];
    const record = { mail: 'a' };
    const one = await dryRun({ type: 'create', record, associations: links('1') });
    expect(one).toEqual({ plan: [expect.anything(), expect.anything()], associations: links('1') });
    const batch = [{ record }, { record, associations: links('2') }, { record, associations: [] }];
    const many = (await dryRun({ type: 'create', batch })) as { plans?: object[] };
    expect(many.plans?.map((each) => ('associations' in each ? each.associations : undefined))).toEqual([
      undefined,
      links('2'),
      undefined,
    ]);
    expect(await dryRun({ type: 'update', record: { id: '7' }, associations: links('3') })).toMatchObject({
      associations: links('3'),
    });
  });

  it('asynchronous and auto-batched writes are planned alike; a delete has no field', async () => {
    const body = { type: 'create', mode: 'asynchronous', record: { mail: 'a' } };
    const plan = await dryRun({ ...body, mode: 'synchronous' });
    expect(await dryRun(body)).toEqual(plan);
    expect(await dryRun({ ...body, autoBatchPolicy: { maxDelayMinutes: 1 } })).toEqual(plan);
    expect(await dryRun({ type: 'delete', record: { id: '1' } })).toEqual({ plan: [] });
  });
});

describe('every rule holds', () => {
  it.each<[string, object, number, string]>([
    ['the schema', { type: 'create', record: 7 }, 400, 'request.invalid'],
    ['two names of one field', { type: 'create', record: { mail: 'a', email: 'b' } }, 400, 'request.invalid'],
    ['the group', { groupRef: 'nobody', type: 'create', record: { a: 1 } }, 404, 'group.not-found'],
  ])('%s', async (_, body, status, code) => {
    expect((await dryRun(body, status)).code).toBe(code);
  });

  it.each(['?dryRun=yes', '?dryRun=', '?dryRun=true&dryRun=false', '?dryrun=true'])('%s is 400', async (query) => {
    expect(await dryRun({ type: 'create', record: { a: 1 } }, 400, query)).toMatchObject({ code: 'request.invalid' });
  });
});

it('dryRun=false writes', async () => {
  const reply = await gateway
    .post(`${seed.path}?dryRun=false`)
    .set('x-api-key', seed.key)
    .send({
      groupRef: seed.groupRef,
      type: 'create',
      record: { mail: 'a@x.com' },
    });
  expect(reply.body).toMatchObject({ result: { success: true } });
});
