import { restateOutcomes, tokenIssuer } from '@sluice/testkit';
import type { Operation } from '@sluice/types';
import { customerValue, useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management, ['write']);

const at = (id: string, verb: string) => `${prepared.path}/operations/${id}${verb}`;
const rowOf = async (id: string) =>
  (await management.database('operations').where({ id }).first()) as Record<string, unknown>;
const makeSynchronous = (id: string) => management.database('operations').where({ id }).update({ mode: 'synchronous' });

describe('POST :cancel', () => {
  it.each([
    ['queued', () => prepared.accept(2)],
    ['accumulating', () => prepared.join()],
  ])('202: writes down the wish for a %s operation, once', async (state, make) => {
    const id = await make();
    const { body } = await prepared.send.post(at(id, ':cancel')).expect(202);
    expect(body).toMatchObject({ id, status: 'in_progress' });
    const { cancel_requested_at: moment, ...row } = await rowOf(id);
    expect(row['state']).toBe(state);
    expect(moment).toBeInstanceOf(Date);
    await prepared.send.post(at(id, ':cancel')).expect(202);
    expect((await rowOf(id))['cancel_requested_at']).toEqual(moment);
  });

  it('202 also after the end that it brought, because a repetition is no fault', async () => {
    const id = await prepared.accept();
    await prepared.send.post(at(id, ':cancel')).expect(202);
    await management
      .database('operations')
      .where({ id })
      .update({ state: 'failed', result: 'The operation was cancelled.' });
    expect((await prepared.send.post(at(id, ':cancel')).expect(202)).body).toMatchObject({ status: 'failure' });
  });

  it('409: it ended before', async () => {
    const id = await prepared.ended(['succeeded']);
    expect((await prepared.send.post(at(id, ':cancel')).expect(409)).body).toMatchObject({
      code: 'operation.ended',
      retryable: false,
    });
  });

  it('409: a synchronous operation', async () => {
    const id = await prepared.accept();
    await makeSynchronous(id);
    expect((await prepared.send.post(at(id, ':cancel')).expect(409)).body).toMatchObject({
      code: 'operation.synchronous',
    });
    expect((await rowOf(id))['cancel_requested_at']).toBeNull();
  });
});

describe('POST :replay', () => {
  it('202: a new operation of the failed records; the repetition answers the same', async () => {
    const id = await prepared.ended(['failed', 'succeeded', 'failed']);
    const { body } = await prepared.send.post(at(id, ':replay')).expect(202);
    const again = body as Operation;
    expect(again).toMatchObject({ status: 'in_progress', resource: 'contacts', configId: prepared.seed.configId });
    expect(again.id).not.toBe(id);
    expect(((await prepared.send.post(at(id, ':replay')).expect(202)).body as Operation).id).toBe(again.id);
    const { body: records } = await prepared.send.get(at(again.id, '/records')).expect(200);
    expect(records).toMatchObject({ results: [{ ref: 'row-0' }, { ref: 'row-2' }] });
    const old = (await prepared.send.get(at(id, '/records')).expect(200)).body as { results: object[] };
    expect(old.results).toMatchObject([{ replayedBy: again.id }, { status: 'succeeded' }, { replayedBy: again.id }]);
    expect(old.results[1]).not.toHaveProperty('replayedBy');
  });

  it('records of unknown outcome: 409, and 202 with force=true', async () => {
    const id = await prepared.ended(['unknown']);
    const { body } = await prepared.send.post(at(id, ':replay')).expect(409);
    expect(body).toMatchObject({ code: 'operation.nothing-to-replay', remedy: expect.stringContaining('force=true') });
    await prepared.send.post(at(id, ':replay?force=true')).expect(202);
  });

  it.each([
    ['in progress', 409, 'operation.in-progress', () => prepared.accept()],
    ['without a failed record', 409, 'operation.nothing-to-replay', () => prepared.ended(['succeeded'])],
    [
      'synchronous',
      409,
      'operation.synchronous',
      async () => {
        const id = await prepared.ended(['failed']);
        await makeSynchronous(id);
        return id;
      },
    ],
    [
      'whose plans are deleted',
      410,
      'operation.plan-deleted',
      async () => {
        const id = await prepared.ended(['failed']);
        await management.database('records').where({ operation_id: id }).update({ plan: null });
        return id;
      },
    ],
    [
      'whose installation is deleted',
      409,
      'operation.not-replayable',
      async () => {
        const id = await prepared.ended(['failed']);
        await management.database('installations').where({ id: prepared.seed.installationId }).delete();
        return id;
      },
    ],
    [
      'whose object the manifest has lost',
      409,
      'operation.not-replayable',
      async () => {
        const id = await prepared.ended(['failed']);
        await management.database('operations').where({ id }).update({ object_name: 'lost' });
        return id;
      },
    ],
  ])('an operation %s: %i %s, and nothing is opened', async (_name, status, code, make) => {
    const id = await make();
    const before = await management.countRows();
    expect((await prepared.send.post(at(id, ':replay')).expect(status)).body).toMatchObject({ code });
    expect(await management.countRows()).toEqual(before);
  });
});

// Each replay of it ends executors, and with them the leases of every project: a customer's browser is not to ask for that.
it('[sec-8] a bearer token cannot replay what was quarantined; an API key can', async () => {
  const { projectId, groupRef } = prepared.seed;
  const full = management.as(await management.newKey(projectId, ['full']));
  const issuer = tokenIssuer();
  const key = { label: 'test', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const { kid } = (await full.post(`${prepared.path}/jwt-keys`).send(key).expect(201)).body as { kid: string };
  const token = `Bearer ${issuer.issue(kid, { groupRef })}`;
  const id = await prepared.ended(['failed']);
  await restateOutcomes(management.database, id, { outcome: 'failed', errorClass: 'quarantined' });
  const { body } = await management.as().post(at(id, ':replay')).set('authorization', token).expect(403);
  expect(body).toMatchObject({ code: 'operation.quarantined', remedy: expect.stringContaining('API key') });
  expect(await management.database('operations').where({ state: 'queued', project_id: projectId })).toEqual([]);
  await prepared.send.post(at(id, ':replay')).expect(202);
});

describe('GET /logs', () => {
  type Line = { timestamp: string; severity: string; message: { msg: string; operation_id: string } };
  const read = async (id: string) => (await prepared.send.get(at(id, '/logs')).expect(200)).body as Line[];
  const messages = (log: readonly Line[]) => log.map(({ message }) => message.msg);

  it('lists what happened to a batch that was tried twice, in order, each line with the operation id', async () => {
    const id = await prepared.accept(2);
    const unavailable = { class: 'unavailable', text: `Down: ${customerValue}` } as const;
    const again = {
      attempt: { status: 503, error: unavailable, durationMs: 7 },
      next: { state: 'ready', delayMs: 0 },
    } as const;
    await prepared.settle(['again', 'again'], again);
    await prepared.settle(['succeeded', 'failed']);
    const log = await read(id);
    expect(messages(log)).toEqual([
      'Accepted: asynchronous create of contacts.',
      'Call 1 was sent with 2 records (attempt 1).',
      'The provider answered call 1 with status 503, which means unavailable.',
      'Call 1 was sent again with 2 records (attempt 2).',
      'The provider answered call 1 with status 201.',
      '1 record ended as failed (rejected).',
      'The operation ended in part: 1 of 2 written, 1 not.',
    ]);
    expect(log.every(({ message }) => message.operation_id === id)).toBe(true);
    expect(log.map(({ timestamp }) => timestamp)).toEqual(log.map(({ timestamp }) => timestamp).toSorted());
    expect(log[2]).toMatchObject({
      severity: 'WARN',
      message: { error: 'unavailable', details: { call: '1', status: '503' } },
    });
    expect(log[4]).toMatchObject({
      severity: 'INFO',
      message: { details: { providerRequestId: 'their-request-1', durationMs: '12' } },
    });
  });

  // Provider texts repeat what was sent; the plan holds it all.
  it('holds no value of a record, whatever the provider said', async () => {
    const id = await prepared.ended(['failed', 'unknown']);
    expect(JSON.stringify(await read(id))).not.toContain(customerValue);
  });

  it('knows of a wait, a cancel, a seal, a quarantine and a replay', async () => {
    const waiting = await prepared.accept();
    await prepared.settle(['again'], { next: { state: 'ready', delayMs: 600_000 } });
    await prepared.send.post(at(waiting, ':cancel')).expect(202);
    expect(messages(await read(waiting))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Call 1 is sent again after 20/), 'A cancel was asked for.']),
    );
    const failed = await prepared.accept();
    await prepared.settle(['failed'], { next: { state: 'quarantined' } });
    const { id: replayedBy } = (await prepared.send.post(at(failed, ':replay')).expect(202)).body as Operation;
    expect(messages(await read(replayedBy))).toEqual([
      `Accepted: asynchronous create of contacts, a retry of operation ${failed}.`,
    ]);
    const progress = (await prepared.send.get(at(replayedBy, '/progress')).expect(200)).body as object;
    expect(progress).toMatchObject({ replayOf: failed, retryMs: 3_600_000 });
    expect(messages(await read(failed))).toEqual(
      expect.arrayContaining([
        'Call 1 was taken out after four crashes of the executor.',
        `Replayed: 1 record, as operation ${replayedBy}.`,
      ]),
    );
    const batch = await prepared.join();
    await management
      .database('open_batches')
      .where({ operation_id: batch })
      .update({ due_at: new Date(0) });
    const one = [{ number: 1, connectionId: prepared.seed.connectionId, recordIndexes: [0], planBytes: 100 }];
    await management.context.store.writes.seal({ projectId: prepared.seed.projectId, operationId: batch }, () => one);
    expect(messages(await read(batch))).toContain('The batch was sealed: 1 record in 1 call.');
  });

  it('shows how a batch that was refused whole for one record was divided', async () => {
    const id = await prepared.accept(3);
    const error = { class: 'rejected', text: `Bad: ${customerValue}` } as const;
    await prepared.settle(['again', 'again', 'again'], {
      attempt: { status: 400, error, durationMs: 7 },
      next: { state: 'split', parts: [[0, 1], [2]] },
    });
    await prepared.settle(['succeeded', 'succeeded']);
    await prepared.settle(['failed']);
    expect(messages(await read(id))).toEqual([
      'Accepted: asynchronous create of contacts.',
      'Call 1 was sent with 3 records (attempt 1).',
      'The provider answered call 1 with status 400, which means rejected.',
      'Call 1 was refused for what may be one of its records: 3 records went on in smaller calls.',
      'Call 2 was sent with 2 records (attempt 1).',
      'The provider answered call 2 with status 201.',
      'Call 3 was sent with 1 record (attempt 1).',
      'The provider answered call 3 with status 201.',
      '1 record ended as failed (rejected).',
      'The operation ended in part: 2 of 3 written, 1 not.',
    ]);
  });

  it('a call whose reply was lost is in doubt, then looked up', async () => {
    const id = await prepared.accept();
    const timeout = { class: 'timeout', text: 'No answer.' } as const;
    await prepared.settle(['again'], {
      attempt: { error: timeout, durationMs: 9 },
      next: { state: 'in_doubt', delayMs: 0 },
    });
    expect(messages(await read(id))).toContain('What call 1 has written is not known. It is being looked up.');
    await prepared.settle(['succeeded']);
    expect(messages(await read(id)).at(-1)).toBe('The operation succeeded: 1 written, 0 not.');
  });
});
