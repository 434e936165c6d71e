import { leaseMs } from '@sluice/writes';
import { until } from '@sluice/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { useGateway } from './_gateway';

const gateway = useGateway({ env: { SLUICE_CALL_TIMEOUT_MS: '20000' } });

const create = { type: 'create', record: { email: 'a@x.com' } };
const update = { type: 'update', record: { id: '42', city: 'Bern' } };

/** Opens nothing for longer than a lease, as a database does that is busy or has others waiting for each other. */
async function withoutOpenings<T>(work: () => Promise<T>): Promise<T> {
  const transaction = await gateway.database.transaction();
  try {
    await transaction.raw('lock table operations in share mode');
    const working = work();
    await until('the opening waits', async () => {
      const waiting = "select 1 from pg_locks where relation = 'operations'::regclass and not granted";
      return (await gateway.database.raw<{ rows: object[] }>(waiting)).rows[0];
    });
    await sleep(leaseMs + 500);
    await transaction.commit();
    return await working;
  } finally {
    if (!transaction.isCompleted()) await transaction.rollback();
  }
}

// Observed once as a 502 while pods were replaced on a busy node: nobody but us had the call, and it was not sent.
it('a create and an update whose opening took longer than their lease are sent all the same', async () => {
  const seed = await gateway.seed();
  const write = (body: object) => gateway.write(seed, body).expect(200);
  await withoutOpenings(() => Promise.all([write(create), write(update)]));
  expect(gateway.hubspot.calls).toHaveLength(2);
});

it('one that was taken meanwhile, because it seemed abandoned, is not sent by us', async () => {
  const seed = await gateway.seed();
  // As an executor leaves it that found its owner silent.
  await gateway.database.raw(`
    create function take_call() returns trigger language plpgsql as $$ begin new.fence := 2; return new; end $$;
    create trigger taken before insert on calls for each row execute function take_call()`);
  try {
    const reply = await withoutOpenings(() => gateway.write(seed, create).then((answer) => answer));
    expect(reply.status).toBe(502);
    expect(reply.body).toMatchObject({ code: 'provider.unavailable', retryable: true });
    expect(gateway.hubspot.calls).toEqual([]);
  } finally {
    await gateway.database.raw('drop trigger taken on calls; drop function take_call()');
  }
});
