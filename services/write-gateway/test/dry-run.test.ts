import { sampleConfig, sampleManifest } from '@sluice/testkit';
import { HeldBytes } from '@sluice/telemetry';
import { resolveWrite, type WriteCall } from '../src/resolve-write';
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
  // 100 kB for each record, in no plan and in every reply.
  it('[sec-28] the bound of plans, also for what is shown and not written', async () => {
    const source = { default: { stringValue: 'x'.repeat(100_000) }, writeOnUpdate: 'never' as const };
    const contacts = { objectName: 'contacts', selectedFieldSettings: { source } };
    const own = seed;
    seed = await gateway.seed({ config: sampleConfig({ write: { objects: { contacts } } }) });
    const update = (count: number) => ({
      type: 'update',
      batch: Array.from({ length: count }, (_, at) => ({ record: { id: String(at), phone: '1' } })),
    });
    expect(await dryRun(update(60), 413)).toMatchObject({
      code: 'request.body-too-large',
      issues: [{ in: 'body', name: 'batch', value: 'list of 60' }],
    });
    await dryRun(update(59));
    seed = own;
  });

  // A config makes megabytes of plans of a small body: they are not made before there is memory for them.
  it.each([
    [
      'by defaults, known before',
      { selectedFieldSettings: { source: { default: { stringValue: 'x'.repeat(50_000) } } } },
      1,
    ],
    [
      'by notes, seen while it grows',
      {
        selectedFieldSettings: Object.fromEntries(
          Array.from({ length: 400 }, (_each, at) => [`a${at}`, { writeOnUpdate: 'never' as const }]),
        ),
      },
      400,
    ],
  ])('[sec-28] memory for what the config adds, %s', async (_, settings, names) => {
    const { projectId, groupRef, integrationId } = await gateway.seed({
      config: sampleConfig({ write: { objects: { contacts: { objectName: 'contacts', ...settings } } } }),
    });
    const fields = Object.fromEntries(Array.from({ length: names }, (_each, at) => [`a${at}`, 1]));
    const record = { ...fields, a: 1 };
    const waited: number[] = [];
    const call: WriteCall = {
      names: { projectIdOrName: projectId, withinProjectId: projectId, integrationId, groupRef },
      objectName: 'contacts',
      keyId: 'k',
      request: {
        groupRef,
        type: 'update',
        batch: [{ record: { id: '1', ...record } }, { record: { id: '2', ...record } }],
      },
      held: new HeldBytes('p'),
      bodyBytes: 100,
      growNow: () => false,
      growTo: (bytes) => Promise.resolve(void waited.push(bytes)),
      traceparent: '',
    };
    const installation = await gateway.context.installations.resolveAgain(call.names);
    const asked = resolveWrite(
      gateway.context,
      { ...call, growTo: () => Promise.reject(new Error('none')) },
      installation,
    );
    await expect(asked).rejects.toThrow('none');
    const { planned } = await resolveWrite(gateway.context, call, installation);
    const bytes = planned.reduce((sum, { text }) => sum + text.length, 0);
    expect(planned).toHaveLength(2);
    expect(bytes).toBeGreaterThan(16_384);
    expect(waited).toEqual([expect.any(Number)]);
    expect(waited[0]).toBeGreaterThanOrEqual(bytes - 1_000);
    // There is memory now: nobody waits.
    await resolveWrite(gateway.context, { ...call, growNow: () => true }, installation);
    expect(waited).toHaveLength(1);
  });

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
