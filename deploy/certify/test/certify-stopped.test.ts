import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { until } from '@sluice/testkit';
import { account, certifySuite, inDataDir, searchLagMs, unfinished } from './certify-account';

certifySuite();

type Customer = Awaited<ReturnType<typeof account>>;

/** Runs until the fault is met, at which the provider hangs. */
async function untilMet(customer: Customer, fault: object, ...more: string[]) {
  await customer.fault(fault);
  const running = customer.start(...more);
  await until('the fault', async () => (await customer.isFaultMet()) || undefined, 120_000);
  return running;
}

async function killed(customer: Customer, fault: object, ...more: string[]): Promise<void> {
  const running = await untilMet(customer, fault, ...more);
  running.child.kill('SIGKILL');
  await running.ended;
}

const hangs = { kind: 'timeout', delayMs: 60_000 } as const;
const batch = { path: '^/crm/v3/objects/contacts/batch/create$' };

/** Creates of unknown outcome were sent long ago: what may still come of them has come, and the index of the account shows it. */
async function letTimePass(): Promise<void> {
  await sleep(searchLagMs);
  for (const name of unfinished()) {
    const file = inDataDir('certify', 'unfinished', name);
    const entry = JSON.parse(readFileSync(file, 'utf8')) as { records: { sentAt: string }[] };
    for (const record of entry.records) record.sentAt = new Date(Date.parse(record.sentAt) - 3_600_000).toISOString();
    writeFileSync(file, JSON.stringify(entry));
  }
}

describe('killed', () => {
  const committed = { ...hangs, commit: 'first' };

  it.each([
    ['a first create', 'hubspot', { match: { method: 'POST', path: '^/crm/v3/objects/contacts$' }, action: committed }],
    ['what is linked to', 'hubspot', { match: { path: '^/crm/v3/objects/companies$' }, action: committed }],
    ['a deletion', 'hubspot', { match: { method: 'DELETE', nth: 4 }, action: hangs }],
    [
      'a first create',
      'salesforce',
      { match: { method: 'POST', path: '^/services/data/v[0-9.]+/sobjects/Contact$' }, action: committed },
    ],
  ])('while the reply of %s is out (%s): --clean removes what is left, by the marks', async (_, provider, fault) => {
    const customer = await account(provider);
    await killed(customer, fault);
    expect([(await customer.records()).length > 0, unfinished().length]).toEqual([true, 1]);
    await letTimePass();
    await customer.clearFaults();
    const { code, text } = await customer.certify({ cleanOnly: true });
    expect(text).toMatch(
      /^the run sluice-certify-\S+ had not come to its end: what it left is removed\nnothing of an earlier run is left\n$/,
    );
    expect([code, await customer.records(), unfinished()]).toEqual([0, [], []]);
  });

  it('where records stay: says which, and forgets them only when they may stay', async () => {
    const customer = await account('zoho');
    await killed(customer, { match: { path: '^/rest/zoho/crm/v8/Leads/search' }, action: hangs }, '--leave');
    const [record] = await customer.records();
    const kept = await customer.certify({ cleanOnly: true });
    expect(kept.text).toMatch(new RegExp(`^the run \\S+ had not come to its end: delete by hand: ${record?.id}\n$`));
    expect([kept.code, unfinished().length]).toEqual([1, 1]);
    const accepted = await customer.certify({ cleanOnly: true, leave: true });
    expect([accepted.code, unfinished().length]).toEqual([0, 0]);
  });
});

it('another run that is under way is left alone', async () => {
  const customer = await account('salesforce');
  const running = await untilMet(customer, { match: { path: '^/services/data/v[0-9.]+/query' }, action: hangs });
  // What it has is read by the other while it stands still.
  running.child.kill('SIGSTOP');
  const { code, text } = await customer.certify();
  expect(text).toContain(`is under way in process ${running.child.pid}: left alone`);
  expect([code, unfinished().length, (await customer.records()).length]).toEqual([0, 1, 1]);
  running.child.kill('SIGKILL');
  await running.ended;
});

it('Ctrl-C: it cleans up before it goes, and the log is whole', async () => {
  const customer = await account('hubspot');
  const running = await untilMet(
    customer,
    { match: batch, action: { kind: 'slow', delayMs: 2_000 } },
    '--out',
    inDataDir('log'),
  );
  running.child.kill('SIGINT');
  const { code, text } = await running.ended;
  expect(text).toContain('interrupted: the rest was not tried\nnothing is left in the account');
  expect([code, await customer.records()]).toEqual([130, []]);
  expect(readFileSync(inDataDir('log'), 'utf8')).toMatch(/\n\{"findings":\[\{"name":"[^\n]+\]\}\n$/);
});
