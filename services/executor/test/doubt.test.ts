import type { WriteRecord } from '@sluice/types';
import { createFixture, type AcceptOptions, type Fixture, type Seed } from './_executor';
import type { Behaviour, HubspotCall } from './_fake-hubspot';

/** The outcome of the first send of a case; later ones, and lookups, are answered as HubSpot would. */
type Loss = 'written' | 'written-silently' | 'not-written' | 'written-in-part' | 'written-before-the-next';

/**
 * Cases run together, because each waits out the same windows. `name` stands in every record of a case, so that calls and
 * contacts can be distinguished.
 */
interface Case {
  readonly losses: readonly Loss[];
  readonly operations: readonly (readonly WriteRecord[])[];
  readonly options?: AcceptOptions;
}

const cases = {
  keyed: { losses: ['written'], operations: [[{ email: 'keyed@x.com' }]] },
  silent: { losses: ['written-silently'], operations: [[{ email: 'silent@x.com' }]] },
  unwritten: { losses: ['not-written'], operations: [[{ email: 'unwritten@x.com' }]] },
  partial: { losses: ['written-in-part'], operations: [['1', '2', '3'].map((n) => ({ email: `partial${n}@x.com` }))] },
  // Of 98 contacts, two of them twice.
  hundred: {
    losses: ['written-in-part'],
    operations: [[...Array(98).keys(), 0, 1].map((n) => ({ email: `hundred${n}@x.com` }))],
  },
  overtaken: { losses: ['written-before-the-next'], operations: [[{ email: 'overtaken@x.com' }]] },
  stranger: { losses: ['not-written'], operations: [[{ email: 'stranger@x.com' }]] },
  unkeyed: { losses: ['written'], operations: [[{ firstname: 'unkeyed', lastname: 'Ångström' }]] },
  vanished: { losses: ['not-written'], operations: [[{ firstname: 'vanished' }]] },
  twins: { losses: ['written', 'not-written'], operations: [[{ firstname: 'twins' }], [{ firstname: 'twins' }]] },
  update: { losses: ['written'], operations: [[{ id: '7', city: 'update' }]], options: { type: 'update' } },
} satisfies Record<string, Case>;
type Name = keyof typeof cases;
const names = Object.keys(cases) as Name[];

let fixture: Fixture;
let seed: Seed;
const ids = new Map<Name, string[]>();
beforeAll(async () => {
  fixture = await createFixture();
  seed = await fixture.seed();
  fixture.hubspot.contacts.set('7', { id: '7', createdAt: new Date(), properties: {} });
  const anHourAgo = new Date(Date.now() - 3_600_000);
  fixture.hubspot.contacts.set('8', { id: '8', createdAt: anHourAgo, properties: { email: 'stranger@x.com' } });
  fixture.hubspot.behave = losing();
  await fixture.startExecutor({ SLUICE_CALL_TIMEOUT_MS: '1500' });
  for (const name of names) {
    const { operations, options }: Case = cases[name];
    ids.set(name, await Promise.all(operations.map((records) => fixture.accept(seed, records, options))));
  }
});
afterAll(() => fixture.close());

function nameOf({ properties, inputs }: HubspotCall): Name | undefined {
  const text = JSON.stringify([properties, inputs]);
  return names.find((name) => text.includes(`"${name}`));
}
const writesOf = (name: Name) => fixture.hubspot.writes().filter((call) => nameOf(call) === name);

function losing(): Behaviour {
  const left = new Map(names.map((name) => [name, [...cases[name].losses] as Loss[]]));
  let held: (() => unknown) | undefined;
  return (call, apply) => {
    const name = nameOf(call);
    const isLookup = /(search|read)$/.test(call.path);
    const loss = isLookup || name === undefined ? undefined : left.get(name)?.shift();
    if (!isLookup && name === 'overtaken') held?.();
    if (loss === undefined) return apply();
    const written = Math.ceil(call.inputs.length * 0.6);
    if (loss === 'written-in-part') Object.assign(call, { inputs: call.inputs.slice(0, written) });
    if (loss === 'written-before-the-next') held = apply;
    else if (loss !== 'not-written') apply();
    return loss === 'written-silently' ? 'never' : 'hang-up';
  };
}

async function endOf(name: Name) {
  const ended = [];
  for (const id of ids.get(name) ?? []) {
    const { status, result } = await fixture.ended(seed, id);
    ended.push({ status, result, records: await fixture.records(seed, id) });
  }
  return ended;
}
const idOfContact = (email: string) =>
  [...fixture.hubspot.contacts.values()].find(({ properties }) => properties['email'] === email)?.id;

describe('a create with a unique key', () => {
  it.each(['keyed', 'silent'] as const)(
    '%s, written and the reply lost: looked for and adopted, not sent twice',
    async (name) => {
      const [end] = await endOf(name);
      const recordId = idOfContact(`${name}@x.com`);
      expect(end).toMatchObject({ status: 'success', records: [{ status: 'succeeded', recordId }] });
      expect(recordId).toBeDefined();
      expect(writesOf(name)).toHaveLength(1);
    },
  );

  it('not written: sent again, but only after the window', async () => {
    expect(await endOf('unwritten')).toMatchObject([{ status: 'success' }]);
    const [first = 0, second = 0, ...more] = writesOf('unwritten').map(({ atMs }) => atMs);
    // The lease of 6 s and the call timeout: before this nothing is "not created".
    expect(second - first).toBeGreaterThanOrEqual(7_500);
    expect(more).toEqual([]);
  });

  it('a batch of which a part was written: that part is adopted, the rest sent again', async () => {
    const [end] = await endOf('partial');
    expect(end).toMatchObject({ status: 'success', result: expect.stringContaining('(3 succeeded') });
    const expected = ['1', '2', '3'].map((n) => idOfContact(`partial${n}@x.com`));
    expect(end?.records.map(({ recordId }) => recordId)).toEqual(expected);
    expect(writesOf('partial').map(({ inputs, properties }) => [inputs.length, properties['email']])).toEqual([
      [2, undefined],
      [0, 'partial3@x.com'],
    ]);
  });

  it('a batch of a hundred, of which sixty were written, and two stand twice in it: each once', async () => {
    const [end] = await endOf('hundred');
    expect(end).toMatchObject({ status: 'success', result: expect.stringContaining('(98 succeeded, 2 failed)') });
    const recordIds = (end?.records ?? []).map(({ recordId }) => recordId);
    expect(recordIds.slice(0, 98)).toEqual([...Array(98).keys()].map((n) => idOfContact(`hundred${n}@x.com`)));
    // Which of the two made it nobody knows; the other collides with it.
    expect(end?.records.slice(98)).toMatchObject(
      [98, 99].map(() => ({ status: 'failed', error: { class: 'conflict' } })),
    );
    const sizes = writesOf('hundred').map(({ inputs }) => inputs.length);
    expect(sizes).toEqual([60, 40]);
    const stored = [...fixture.hubspot.contacts.values()].map(({ properties }) => String(properties['email']));
    expect(stored.filter((email) => email.startsWith('hundred'))).toHaveLength(98);
  });

  // The first send is carried out just before the second, which then collides with our own record.
  it('a conflict with its own earlier send is a success', async () => {
    const [end] = await endOf('overtaken');
    const recordId = idOfContact('overtaken@x.com');
    expect(end).toMatchObject({ status: 'success', records: [{ status: 'succeeded', recordId }] });
    expect(recordId).toBeDefined();
    expect(writesOf('overtaken')).toHaveLength(2);
  });

  // A record that is older than our first send, or carries other values, is somebody else's.
  it("somebody else's record with that key is not adopted; the resend meets the provider's conflict", async () => {
    const [end] = await endOf('stranger');
    expect(end).toMatchObject({ status: 'failure', result: expect.stringContaining('already exists') });
    expect(end?.records).toMatchObject([{ status: 'failed', error: { class: 'conflict' } }]);
  });
});

describe('a create without a unique key', () => {
  it('written, and the reply lost: found by search and adopted', async () => {
    expect(await endOf('unkeyed')).toMatchObject([{ status: 'success', records: [{ status: 'succeeded' }] }]);
    expect(writesOf('unkeyed')).toHaveLength(1);
  });

  it('not found: never sent again, ends as outcome unknown', async () => {
    const [end] = await endOf('vanished');
    expect(end).toMatchObject({ status: 'failure', result: expect.stringMatching(/outcome unknown/i) });
    expect(end?.records).toMatchObject([{ status: 'unknown' }]);
    expect(writesOf('vanished')).toHaveLength(1);
  });

  // Equal creates in doubt are resolved one to one; a provider record belongs to one of them.
  it('two equal ones in doubt and one record: exactly one adopts it', async () => {
    const ends = await endOf('twins');
    expect(ends.map(({ status }) => status).sort()).toEqual(['failure', 'success']);
    expect(ends.flatMap(({ records }) => records.map(({ status }) => status)).sort()).toEqual(['succeeded', 'unknown']);
    expect(writesOf('twins')).toHaveLength(2);
  });
});

it('an update of unknown outcome is sent again: its values are absolute', async () => {
  expect(await endOf('update')).toMatchObject([{ status: 'success' }]);
  expect(writesOf('update')).toHaveLength(2);
  expect(fixture.hubspot.contacts.get('7')?.properties).toEqual({ city: 'update' });
});
