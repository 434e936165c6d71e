import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { account, certifySuite, inDataDir, unfinished, until } from './certify-account';

certifySuite();

type Customer = Awaited<ReturnType<typeof account>>;

/** Runs until the fault is met, at which the provider hangs. */
async function untilMet(customer: Customer, fault: object, ...more: string[]) {
  await customer.fault(fault);
  const running = customer.certify(...more);
  await until(() => customer.isFaultMet(), 40_000);
  return running;
}

async function killed(customer: Customer, fault: object, ...more: string[]): Promise<void> {
  const running = await untilMet(customer, fault, ...more);
  running.child.kill('SIGKILL');
  await running.ended;
}

const hangs = { kind: 'timeout', delayMs: 60_000 } as const;
const search = { path: '^/crm/v3/objects/contacts/search$' };

/** Creates of unknown outcome were sent long ago: what may still come of them has come. */
function letTimePass(): void {
  for (const name of unfinished()) {
    const file = inDataDir('certify', 'unfinished', name);
    const entry = JSON.parse(readFileSync(file, 'utf8')) as { records: { sentAt: string }[] };
    for (const record of entry.records) record.sentAt = new Date(Date.parse(record.sentAt) - 3_600_000).toISOString();
    writeFileSync(file, JSON.stringify(entry));
  }
}

describe('killed', () => {
  it.each([
    [
      'while the reply of the first create is out',
      'hubspot',
      { match: { method: 'POST', path: '^/crm/v3/objects/contacts$' }, action: { ...hangs, commit: 'first' } },
      1,
    ],
    [
      'while that of a batch is out',
      'hubspot',
      { match: { path: '^/crm/v3/objects/contacts/batch/create$' }, action: { ...hangs, commit: 'first' } },
      3,
    ],
    [
      'while that of what is linked to is out',
      'hubspot',
      { match: { method: 'POST', path: '^/crm/v3/objects/companies$' }, action: { ...hangs, commit: 'first' } },
      4,
    ],
    ['between the writes and the search', 'hubspot', { match: search, action: hangs }, 5],
    ['while it deletes', 'hubspot', { match: { method: 'DELETE', nth: 2 }, action: hangs }, 4],
    [
      'while the reply of the first create is out',
      'salesforce',
      {
        match: { method: 'POST', path: '^/services/data/v[0-9.]+/sobjects/Contact$' },
        action: { ...hangs, commit: 'first' },
      },
      1,
    ],
  ])('%s (%s): --clean removes what is left, by the marks, and says so', async (_, provider, fault, count) => {
    const customer = await account(provider);
    await killed(customer, fault);
    expect(await customer.records()).toHaveLength(count);
    expect(unfinished()).toHaveLength(1);
    letTimePass();
    await customer.clearFaults();
    const { code, text } = await customer.certify('--clean').ended;
    expect(text).toMatch(
      /^the run sluice-certify-\S+ had not come to its end: what it left is removed\nnothing of an earlier run is left\n$/,
    );
    expect(code).toBe(0);
    expect(await customer.records()).toEqual([]);
    expect(unfinished()).toEqual([]);
  });

  it('while the same is made again: the journal has the second one too, so an account that took it is cleaned', async () => {
    const customer = await account('hubspot');
    const second = { method: 'POST', path: '^/crm/v3/objects/contacts$', nth: 2 };
    await killed(customer, { match: second, action: hangs });
    const [name = ''] = unfinished();
    const { records } = JSON.parse(readFileSync(inDataDir('certify', 'unfinished', name), 'utf8')) as {
      records: { mark: string; id?: string }[];
    };
    const [first, again] = records;
    expect(records).toHaveLength(2);
    expect(first?.id).toEqual(expect.any(String));
    expect([again?.mark, again?.id]).toEqual([first?.mark, undefined]);
    letTimePass();
    await customer.clearFaults();
    expect((await customer.certify('--clean').ended).code).toBe(0);
    expect(await customer.records()).toEqual([]);
  });

  it('the next run removes it too, before it makes its own', async () => {
    const customer = await account('hubspot');
    await killed(customer, { match: search, action: hangs });
    const { code, text } = await customer.certify().ended;
    expect(text).toMatch(/^the run sluice-certify-\S+ had not come to its end: what it left is removed\nrun sluice-/);
    expect(code).toBe(0);
    expect(await customer.records()).toEqual([]);
  });

  it.each([
    ['hubspot', search, 5],
    ['salesforce', { path: '^/services/data/v[0-9.]+/query' }, 3],
  ])('%s, and what it noted is lost: --clean finds the marks themselves', async (provider, match, count) => {
    const customer = await account(provider);
    await killed(customer, { match, action: hangs });
    expect(await customer.records()).toHaveLength(count);
    rmSync(inDataDir('certify'), { recursive: true });
    const { code, text } = await customer.certify('--clean').ended;
    expect(text).toMatch(/had not come to its end: what it left is removed\nnothing of an earlier run is left\n$/);
    expect(code).toBe(0);
    expect(await customer.records()).toEqual([]);
  });

  it('where records stay: says which, does not say that they are removed, and forgets them only when they may stay', async () => {
    const customer = await account('zoho');
    await killed(customer, { match: { path: '^/rest/zoho/crm/v6/Leads/search' }, action: hangs }, '--leave');
    const [record] = (await customer.records()) as { id: string }[];
    const kept = await customer.certify('--clean').ended;
    expect(kept.text).toMatch(new RegExp(`^the run \\S+ had not come to its end: delete by hand: ${record?.id}\n$`));
    expect([kept.code, unfinished().length]).toEqual([1, 1]);
    const accepted = await customer.certify('--clean', '--leave').ended;
    expect(accepted.text).toContain(`delete by hand: ${record?.id}`);
    expect([accepted.code, unfinished().length]).toEqual([0, 0]);
  });
});

it('another run that is under way is left alone', async () => {
  const customer = await account('hubspot');
  const running = await untilMet(customer, { match: search, action: { kind: 'slow', delayMs: 1_000 } });
  // It stands still until the other has spoken, however long a start takes here.
  running.child.kill('SIGSTOP');
  const other = customer.certify();
  await Promise.race([once(other.child.stdout ?? other.child, 'data'), other.ended]);
  running.child.kill('SIGCONT');
  const { code, text } = await other.ended;
  expect(text).toContain(`is under way in process ${running.child.pid}: left alone`);
  expect([code, (await running.ended).code]).toEqual([0, 0]);
  expect(await customer.records()).toEqual([]);
});

it('Ctrl-C: it cleans up before it goes', async () => {
  const customer = await account('hubspot');
  const running = await untilMet(customer, { match: search, action: { kind: 'slow', delayMs: 4_000 } });
  running.child.kill('SIGINT');
  const { code, text } = await running.ended;
  expect(text).toContain('interrupted: the rest was not tried\nnothing is left in the account');
  expect(code).toBe(130);
  expect(await customer.records()).toEqual([]);
});

it('the provider is gone: what may be left is said, and the next run removes it', async () => {
  const customer = await account('hubspot');
  const match = { path: '^/crm/v3/objects/contacts/(search|\\d+|batch/read)$', nth: 9 };
  await customer.fault({ match, times: 0, action: { kind: 'status', status: 400, body: '' } });
  const first = await customer.certify().ended;
  expect(first.text).toContain('LEFT IN THE ACCOUNT: ');
  expect(first.code).toBe(1);
  expect(unfinished()).toHaveLength(1);
  await customer.clearFaults();
  const { code } = await customer.certify('--clean').ended;
  expect([code, await customer.records(), unfinished()]).toEqual([0, [], []]);
});
