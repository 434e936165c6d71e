import { openDatabase } from '../src/database';
import { insertIntoBatch } from '../src/writes/join-batch';
import type { BatchMembership } from '../src/writes/join-statement';
import type { BatchableWrite } from '../src/writes/join-statement';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const objects = ['companies', 'contacts'];
let keys = 0;

/** With an idempotency key, which makes a transaction of the join. */
const keyedWrite = (objectName = ''): BatchableWrite => {
  const write = fixture.batchable();
  const idempotency = { scope: 'write', key: `key-${(keys += 1)}`, bodyHash: 'hash' };
  return { ...write, idempotency, operation: { ...write.operation, objectName } };
};

// Observed as 503 on a slow machine: gateways that opened the next batches of two keys at the same moment waited for each other, a second each time,
// until their patience was over.
it('gateways that open batches of two keys at the same moment never wait for each other', async () => {
  const [gateways, joinsOfEach, writesOfEach] = [8, 60, 4];
  const database = openDatabase({ url: fixture.url, applicationName: 'test', poolMax: gateways + 1 });
  const members: BatchMembership[] = [];
  const over = new AbortController();
  // As the seal of each batch that is due does, in no order.
  const sealer = async (): Promise<void> => {
    for (let at = 0; !over.signal.aborted; at += 1) {
      const open = `is_open and object_name = ?`;
      await database.raw(`update open_batches set is_open = false where ${open}`, [objects[at % objects.length] ?? '']);
    }
  };
  const gateway = async (): Promise<void> => {
    for (let join = 0; join < joinsOfEach; join += 1) {
      const writes = Array.from({ length: writesOfEach }, (_, at) => keyedWrite(objects[at % objects.length]));
      // Without the patience of the store: a deadlock fails it.
      const answers = await insertIntoBatch(database, writes, { timeScale: 1 });
      members.push(...[...answers.values()].filter((answer) => answer.kind === 'joined'));
    }
  };
  try {
    const joining = Promise.all(Array.from({ length: gateways }, gateway)).finally(() => over.abort());
    await Promise.all([joining, sealer()]);
  } finally {
    over.abort();
    await database.destroy();
  }
  expect(new Set(members.map(({ operationId, index }) => `${operationId}/${index}`)).size).toBe(
    gateways * joinsOfEach * writesOfEach,
  );
}, 300_000);
