import { sampleConfig } from '@sluice/testkit';
import { canary, useGateway, type RunningGateway, type Seed } from './_gateway';

const gateway = useGateway();
let seed: Seed;
beforeAll(async () => {
  seed = await gateway.seed();
});

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly remedy: string;
  readonly issues?: readonly { in: string; name: string; detail: string; value?: unknown }[];
}

const record = { email: 'a@x.com' };
const write = { groupRef: 'group-1', type: 'create', record };

/** Sends, and proves that a problem document came back, the provider was not called and nothing was written. */
async function refused(status: number, send: () => ReturnType<RunningGateway['post']>): Promise<Problem> {
  const before = await gateway.countRows();
  const reply = await send();
  expect({ status: reply.status, type: reply.type }).toEqual({ status, type: 'application/problem+json' });
  expect(reply.text).not.toMatch(new RegExp(`${canary}|sk_`));
  expect(gateway.hubspot.calls).toEqual([]);
  expect(await gateway.countRows()).toEqual(before);
  for (const table of ['operations', 'calls', 'records', 'attempts']) expect(before).not.toHaveProperty(table);
  expect(gateway.announced).toEqual({ autoBatched: [], ready: [] });
  const problem = reply.body as Problem;
  expect(problem).toMatchObject({ status, title: expect.any(String), remedy: expect.any(String), retryable: false });
  return problem;
}
const sendText = (text: string) => () =>
  gateway.post(seed.path).set('x-api-key', seed.key).set('Content-Type', 'application/json').send(text);
const sendBody = (body: object) => sendText(JSON.stringify(body));

describe('400 what is no JSON of ours', () => {
  it('malformed JSON: names the position', async () => {
    const problem = await refused(400, sendText('{"groupRef": "g",\n  "type": }'));
    expect(problem).toMatchObject({ code: 'request.malformed-json', detail: expect.stringMatching(/line 2/) });
  });

  it('a number that JSON cannot carry: names the field and asks for a string', async () => {
    const text = '{"groupRef":"group-1","type":"create","record":{"email":"a@x.com","phone":12345678901234567890}}';
    const problem = await refused(400, sendText(text));
    expect(problem.issues).toMatchObject([{ name: 'record.phone' }]);
    expect(`${problem.remedy} ${problem.issues?.[0]?.detail}`).toContain('string');
  });
});

// Each of these cost seconds and hundreds of megabytes, or killed a gateway of 512 MiB.
describe('[sec-29] what is small to send and large to handle', () => {
  it('1.6 million empty lists', async () => {
    const value = `[${'[],'.repeat(1_600_000)}[]]`;
    const text = `{"groupRef":"group-1","type":"create","batch":[{"record":{"a":${value}}}]}`;
    expect((await refused(400, sendText(text))).issues).toMatchObject([
      { name: 'batch[0].record.a', detail: 'must have at most 100 items', value: 'list of more than 100' },
    ]);
  });

  it('lists that cannot be joined, in each field: 20 issues', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`f${at}`, [[], [], []]]));
    const batch = Array.from({ length: 10 }, () => ({ record: fields }));
    const problem = await refused(400, sendBody({ groupRef: seed.groupRef, type: 'create', batch }));
    expect(problem.issues).toHaveLength(20);
  });

  it('a hundred small records that the config fills with 900 KB each', async () => {
    const selectedFieldSettings = { note: { default: { stringValue: 'x'.repeat(900_000) } } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const filled = await gateway.seed({ config });
    const batch = Array.from({ length: 100 }, () => ({ record }));
    for (const query of ['', '?dryRun=true']) {
      const { body, status } = await gateway
        .post(filled.path + query)
        .set('x-api-key', filled.key)
        .send({ groupRef: filled.groupRef, type: 'create', batch });
      expect({ status, code: body.code }).toEqual({ status: 413, code: 'request.body-too-large' });
      expect(body).toMatchObject({
        issues: [{ name: 'batch', value: 'list of 100' }],
        remedy: expect.stringMatching(/defaults/),
      });
    }
  });
});

// Each of these is allowed up to its limit and refused one above it. A dry run checks every rule and writes nothing.
describe('limits of a write', () => {
  const planOf = (note: number, email = 1) => ({
    type: 'create',
    objectName: 'contacts',
    fields: { email: 'e'.repeat(email), note: 'x'.repeat(note) },
    notes: [{ field: 'note', providerField: 'note', reason: 'default of selectedFieldSettings', sent: true }],
  });
  const dryRun = async (target: Seed, batch: readonly object[]): Promise<string> => {
    const reply = await gateway
      .post(`${target.path}?dryRun=true`)
      .set('x-api-key', target.key)
      .send({ groupRef: target.groupRef, type: 'create', batch });
    return `${reply.status} ${(reply.body as Problem).issues?.map(({ name, detail }) => `${name} ${detail}`).join() ?? ''}`;
  };
  const listOf = (count: number, item: unknown = 'i'): unknown[] => Array.from({ length: count }, () => item);

  it('items of a list', async () => {
    const send = (count: number) => dryRun(seed, [{ record: { list: listOf(count) } }]);
    expect(await send(100)).toBe('200 ');
    expect(await send(101)).toBe('400 batch[0].record.list must have at most 100 items');
  });

  it('bytes of a text', async () => {
    const send = (count: number) => dryRun(seed, [{ record: { text: 'x'.repeat(count) } }]);
    expect(await send(1_000_000)).toBe('200 ');
    expect(await send(1_000_001)).toBe('400 batch[0].record.text must have at most 1000000 bytes');
  });

  it('values of a body', async () => {
    const lists = (items: number): unknown[] => listOf(100, listOf(items, 1));
    const fields = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`f${at}`, { lists: lists(99) }]));
    const recordOf = (rest: number) => ({
      ...fields,
      rest: { lists: [...listOf(99, listOf(99, 1)), listOf(rest, 1)] },
    });
    // What the text shows: an opened list or object, and a comma, for each value.
    const valuesOf = (filled: object) =>
      (JSON.stringify({ groupRef: '', type: '', batch: [{ record: filled }] }).match(/[,{[]/g) ?? []).length;
    const rest = 250_000 - valuesOf(recordOf(1)) + 1;
    const send = (count: number) => dryRun(seed, [{ record: recordOf(count) }]);
    expect(await send(rest)).toBe('200 ');
    expect(await send(rest + 1)).toBe('400 body must hold at most 250000 values');
  });

  it('bytes of the plans, with the defaults of the config', async () => {
    const noteBytes = 999_000;
    const selectedFieldSettings = { note: { default: { stringValue: 'x'.repeat(noteBytes) } } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const filled = await gateway.seed({ config });
    const left = 6_000_000 - 6 * JSON.stringify(planOf(noteBytes)).length;
    const send = (more: number) =>
      dryRun(filled, [
        { record: { email: 'e'.repeat(1 + left + more) } },
        ...(listOf(5, { record: { email: 'e' } }) as object[]),
      ]);
    expect(await send(0)).toBe('200 ');
    expect(await send(1)).toMatch(/^413 batch has plans of more than 6000000 bytes/);
  });
});

// What is refused is decided in libs/types (write-request-rules, schemas, limits): here is one of each kind.
describe('400 names the field', () => {
  it.each<[string, object, string]>([
    ['no groupRef', { type: 'create', record }, 'groupRef'],
    [
      'a batch item without record',
      { groupRef: 'group-1', type: 'create', batch: [{ record }, {}] },
      'batch[1].record',
    ],
    ['an update without id', { ...write, type: 'update' }, 'record.id'],
    ['a misspelled field', { ...write, autobatchPolicy: {} }, 'autobatchPolicy'],
  ])('%s', async (_case, body, name) => {
    const problem = await refused(400, sendBody(body));
    expect(problem.issues?.map((issue) => issue.name)).toContain(name);
    expect(problem.issues?.every((issue) => issue.detail.length > 5)).toBe(true);
  });

  it('a policy without asynchronous mode: the remedy is the missing member', async () => {
    const problem = await refused(400, sendBody({ ...write, retryPolicy: { deadlineHours: 2 } }));
    expect(problem).toMatchObject({ code: 'write.mode-required', remedy: 'add "mode": "asynchronous"' });
  });

  it('[sec-21] what the provider cannot do: names the part and the provider', async () => {
    const problem = await refused(400, sendBody({ ...write, headers: [{ key: 'x-a', value: 'b' }] }));
    expect(problem).toMatchObject({ code: 'write.capability-missing', detail: expect.stringContaining('hubspot') });
  });

  it('Sluice-Record-Ref: empty, too long, or with bytes that no header carries as characters', async () => {
    for (const ref of ['', 'x'.repeat(256), 'Zoë']) {
      const problem = await refused(400, () =>
        sendBody({ ...write, mode: 'asynchronous' })().set('Sluice-Record-Ref', ref),
      );
      expect(problem.issues).toMatchObject([{ in: 'header', name: 'Sluice-Record-Ref' }]);
    }
  });
});

describe('413', () => {
  it('a body over the limit of a single write, and one over that of a batch', async () => {
    const single = { ...write, record: { ...record, notes: 'x'.repeat(1_000_000) } };
    expect(await refused(413, sendBody(single))).toMatchObject({ code: 'request.body-too-large' });
    const batch = Array.from({ length: 6 }, () => ({ record: { notes: 'x'.repeat(900_000) } }));
    const problem = await refused(413, sendBody({ groupRef: 'group-1', type: 'create', batch }));
    expect(problem).toMatchObject({ code: 'request.body-too-large', remedy: expect.stringMatching(/fewer|smaller/) });
  });
});

describe('404', () => {
  it("an unknown project, integration, group and object, another project's names, and a group without installation", async () => {
    const other = await gateway.seed();
    await gateway.database('groups').insert({ project_id: seed.projectId, group_ref: 'lonely', group_name: 'lonely' });
    const cases: [string, object, string, string][] = [
      [seed.path.replace(seed.projectName, 'nowhere'), write, 'project.not-found', 'projectIdOrName'],
      [other.path, write, 'project.not-found', 'projectIdOrName'],
      [seed.path.replace(seed.integrationId, 'none'), write, 'integration.not-found', 'integrationId'],
      [seed.path.replace(seed.integrationId, other.integrationId), write, 'integration.not-found', 'integrationId'],
      [seed.path, { ...write, groupRef: 'nobody' }, 'group.not-found', 'groupRef'],
      [seed.path, { ...write, groupRef: 'lonely' }, 'installation.not-found', 'groupRef'],
      [seed.path.replace(/contacts$/, 'deals'), write, 'write.object-not-in-manifest', 'objectName'],
    ];
    for (const mode of [
      {},
      { mode: 'asynchronous' },
      { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } },
    ]) {
      for (const [path, body, code, name] of cases) {
        const problem = await refused(404, () =>
          gateway
            .post(path)
            .set('x-api-key', seed.key)
            .send({ ...body, ...mode }),
        );
        expect(problem).toMatchObject({ code, detail: expect.stringContaining(`${name}:`) });
      }
    }
  });
});
