import type { Operation, OperationListReply, OperationRecordListReply, Overview, RecordProblem } from '@sluice/types';
import { prepareOperations, useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);

const ofProject = (query = '') => `${prepared.path}/operations${query}`;
const ofInstallation = (query = '') =>
  `${prepared.path}/integrations/${prepared.seed.integrationId}/installations/${prepared.seed.installationId}/operations${query}`;
const read = async (path: string) => (await prepared.send.get(path).expect(200)).body as OperationListReply;
const idsOf = ({ results }: OperationListReply) => results.map(({ id }) => id);
const acceptMany = async (count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await prepared.accept());
  return ids;
};

describe.each([
  ['of an installation', ofInstallation],
  ['of a project', ofProject],
  [
    'of a group',
    (query?: string) => ofProject(`?groupRef=${prepared.seed.groupRef}${(query ?? '').replace('?', '&')}`),
  ],
] as const)('the list %s', (_name, path) => {
  it('is empty and done when nothing was written', async () => {
    expect(await read(path())).toEqual({ results: [], pagination: { done: true } });
  });

  it('gives the operations as get does, with their group, newest first', async () => {
    const ids = await acceptMany(3);
    const { results, pagination } = await read(path());
    expect(results.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(pagination).toEqual({ done: true });
    const one = (await prepared.send.get(`${prepared.path}/operations/${ids[0]}`).expect(200)).body as Operation;
    const { groupRef } = prepared.seed;
    const waiting = { reason: 'turn', laneId: expect.any(String), provider: 'hubspot' };
    expect(results.at(-1)).toEqual({ ...one, groupRef, groupName: groupRef, waiting });
  });

  // What is written meanwhile stands before the first page: no page repeats or misses an operation.
  it('is paged, and stable while operations are added', async () => {
    const ids = await acceptMany(5);
    const first = await read(path('?pageSize=2'));
    await acceptMany(2);
    const second = await read(path(`?pageSize=2&pageToken=${first.pagination.nextPageToken}`));
    await acceptMany(1);
    const third = await read(path(`?pageSize=2&pageToken=${second.pagination.nextPageToken}`));
    expect([first, second, third].flatMap(idsOf)).toEqual(ids.toReversed());
    expect([first, second, third].map(({ pagination }) => pagination.done)).toEqual([false, false, true]);
    expect(third.pagination).toEqual({ done: true });
  });

  it('a page that ends with the last operation is the last', async () => {
    await acceptMany(2);
    expect((await read(path('?pageSize=2'))).pagination).toEqual({ done: true });
  });
});

describe('the filters of the project', () => {
  it('by status, object, moment and group, joined by AND', async () => {
    const failed = await prepared.ended(['failed']);
    const succeeded = await prepared.ended(['succeeded']);
    const deals = await prepared.accept(1, 'deals');
    await management.database('operations').where({ id: failed }).update({ created_at: '2026-01-01T00:00:00Z' });
    const find = async (query: string) => idsOf(await read(ofProject(query)));
    expect(await find('?status=failure')).toEqual([failed]);
    expect(await find('?status=success')).toEqual([succeeded]);
    expect(await find('?status=in_progress')).toEqual([deals]);
    expect(await find('?objectName=contacts')).toEqual([succeeded, failed]);
    expect(await find('?objectName=contacts&status=failure')).toEqual([failed]);
    expect(await find('?since=2026-01-02T00:00:00Z')).toEqual([deals, succeeded]);
    expect(await find('?since=2025-12-31T23:00:00-01:00')).toEqual([deals, succeeded, failed]);
    expect(await find('?since=0000-01-01T00:00:00Z')).toHaveLength(3);
    expect(await find('?since=9999-12-31T23:59:59Z')).toEqual([]);
    expect(await find('?groupRef=another')).toEqual([]);
    expect(await find(`?groupRef=${prepared.seed.groupRef}&status=failure`)).toEqual([failed]);
  });

  it.each([
    ['status', 'running'],
    ['since', 'yesterday'],
    ['colour', 'red'],
    ['status', 'failure&status=success'],
  ])('%s=%s is 400 and names it', async (name, value) => {
    const { body } = await prepared.send.get(ofProject(`?${name}=${value}`)).expect(400);
    expect(body).toMatchObject({ issues: [{ in: 'query', name }] });
  });
});

describe('failures first', () => {
  const asked = '?order=failures-first';

  it('shows what failed before what is newer, in pages', async () => {
    const failed = [await prepared.ended(['failed']), await prepared.ended(['failed', 'failed'])].toReversed();
    const others = [await prepared.ended(['succeeded', 'failed']), await prepared.accept()].toReversed();
    const pages: string[][] = [];
    for (let query: string | undefined = `${asked}&pageSize=1`; query !== undefined;) {
      const page = await read(ofProject(query));
      pages.push(idsOf(page));
      const { nextPageToken } = page.pagination;
      query = nextPageToken && `${asked}&pageSize=1&pageToken=${nextPageToken}`;
    }
    expect(pages).toEqual([...failed, ...others].map((id) => [id]));
    const ofGroup = await read(ofProject(`${asked}&groupRef=${prepared.seed.groupRef}&counts=true&pageSize=3`));
    expect(idsOf(ofGroup)).toEqual([...failed, others[0]]);
    expect(ofGroup.counts).toMatchObject({ failure: 2, partial: 1, inProgress: 1 });
    expect(idsOf(await read(ofProject(`${asked}&status=success`)))).toEqual([others[1]]);
    expect(idsOf(await read(ofProject('?order=newest-first')))).toEqual([...others, ...failed]);
  });

  it.each(['search=x', 'hasFailures=true', 'groupRefPrefix=x', 'problemCode=x', 'problemText=x', 'open=held'])(
    'not with %s',
    async (more) => {
      const { body } = await prepared.send.get(ofProject(`${asked}&${more}`)).expect(400);
      expect(body).toMatchObject({ issues: [{ name: more.split('=')[0] }] });
    },
  );

  it('not with a token of another order', async () => {
    await acceptMany(2);
    const { pagination } = await read(ofProject('?pageSize=1'));
    await prepared.send.get(ofProject(`${asked}&pageToken=${pagination.nextPageToken}`)).expect(400);
  });
});

describe('what no index finds', () => {
  const find = async (query: string) => idsOf(await read(ofProject(query)));
  const inInstallation = (query: string) =>
    find(
      `?installationId=${prepared.seed.installationId}&since=${new Date(Date.now() - 86_400_000).toISOString()}&${query}`,
    );

  // A success with a record that was refused is a failure for the customer whose record it is.
  it('finds operations of which a record failed, also when others were written', async () => {
    const [failed, partly] = [await prepared.ended(['failed']), await prepared.ended(['succeeded', 'failed'])];
    const unknown = await prepared.ended(['succeeded', 'unknown']);
    await prepared.ended(['succeeded', 'succeeded']);
    await prepared.accept();
    expect(await find('?hasFailures=true')).toEqual([unknown, partly, failed]);
    expect(await find('?hasFailures=true&status=success')).toEqual([unknown, partly]);
    expect(await find('?hasFailures=true&pageSize=1')).toEqual([unknown]);
    const { results } = await read(ofProject('?hasFailures=true'));
    expect(results[1]?.metadata?.records).toEqual({ total: 2, succeeded: 1, failed: 1 });
  });

  it('finds operations of which a record failed with a problem, by its code and its field', async () => {
    const failed = async (code: string, field: string): Promise<string> => {
      const id = await prepared.accept();
      const error = { class: 'rejected', text: 'no', problems: [{ code, field, message: 'no' }] } as const;
      await prepared.settle(['failed'], { records: [{ index: 0, kind: 'failed', error }] });
      return id;
    };
    const email = await failed('INVALID', 'email');
    const phone = await failed('INVALID', 'phone');
    await prepared.ended(['failed', 'succeeded']);
    expect(await find('?problemCode=INVALID')).toEqual([phone, email]);
    expect(await find('?problemCode=INVALID&problemField=email')).toEqual([email]);
    expect(await find('?problemField=phone')).toEqual([phone]);
    expect(await find('?problemCode=OTHER')).toEqual([]);
  });

  // The overview names such a problem by the beginning of its sentence: its link finds the same operations, and no other.
  it('finds operations by the sentence of a problem that has no code and no field, and counts them', async () => {
    const failed = async (text: string, problems?: readonly RecordProblem[]): Promise<string> => {
      const id = await prepared.accept();
      const error = { class: 'credentials', text, ...(problems && { problems }) } as const;
      await prepared.settle(['failed'], { records: [{ index: 0, kind: 'failed', error }] });
      return id;
    };
    const sentence = 'Refused: 100 % of them. '.repeat(20);
    const unstructured = await failed(`${sentence} one`);
    const structured = await failed('2 problems', [{ message: `${sentence} two` }, { message: 'another' }]);
    const coded = await failed('no', [{ code: 'NO', message: sentence }]);
    await failed('Refused otherwise');
    await prepared.ended(['succeeded']);
    const overview = (await prepared.send.get(`${prepared.path}/overview`).expect(200)).body as Overview;
    const named = overview.failures.problems.find(({ code, records }) => code === undefined && records === 2);
    const problemText = named?.message.slice(0, 200) ?? '';
    const page = await read(ofProject(`?counts=true&${new URLSearchParams({ problemText }).toString()}`));
    expect(idsOf(page)).toEqual([structured, unstructured]);
    expect(page.counts).toEqual({ inProgress: 0, success: 0, partial: 0, failure: 2, isAtLeast: false });
    expect(await find('?problemText=Refused&problemCode=NO')).toEqual([coded]);
    expect(await find('?problemText=%25')).toEqual([]);
    await prepared.send.get(ofProject(`?problemText=${'x'.repeat(201)}`)).expect(400);
  });

  // The number of a tile of the overview, and the list behind it.
  it('finds what waits, fills and is held, as the overview counts it', async () => {
    const { projectId, connectionId } = prepared.seed;
    await prepared.ended(['failed']);
    const accepted = await prepared.accept(3);
    const filling = await prepared.join();
    const countsOf = async () => {
      const overview = (await prepared.send.get(`${prepared.path}/overview`).expect(200)).body as Overview;
      const { waiting, filling: batched, held } = overview.records;
      return { waiting, filling: batched, held };
    };
    expect(await countsOf()).toEqual({ waiting: 3, filling: 1, held: 0 });
    expect(await find('?open=waiting')).toEqual([accepted]);
    expect(await find('?open=filling')).toEqual([filling]);
    expect(await find('?open=held')).toEqual([]);
    const refused = { projectId, connectionId, tokenVersion: 1, status: 'bad_credentials' } as const;
    await management.context.store.connections.setStatus(refused);
    expect(await countsOf()).toEqual({ waiting: 0, filling: 1, held: 3 });
    expect(await find('?open=waiting')).toEqual([]);
    const { groupRef } = prepared.seed;
    const held = await read(ofProject(`?open=held&counts=true&groupRef=${groupRef}`));
    expect(idsOf(held)).toEqual([accepted]);
    expect(held.results[0]).toMatchObject({ groupRef, waiting: { reason: 'credentials' } });
    expect(held.counts).toEqual({ inProgress: 1, success: 0, partial: 0, failure: 0, isAtLeast: false });
    expect(await find('?open=held&groupRefPrefix=nobody')).toEqual([]);
    await prepared.send.get(ofProject('?open=ended')).expect(400);
    await prepared.send.get(ofProject('?open=held&search=x')).expect(400);
  });

  it('finds operations by the beginning of a group, and takes its letters as they are', async () => {
    const id = await prepared.accept();
    const { groupRef } = prepared.seed;
    expect(await find(`?groupRefPrefix=${groupRef.slice(0, 3)}`)).toEqual([id]);
    expect(await find(`?groupRefPrefix=${groupRef}x`)).toEqual([]);
    expect(await find('?groupRefPrefix=%25')).toEqual([]);
    expect(await find(`?groupRefPrefix=${groupRef}&groupRef=another`)).toEqual([]);
  });

  it('finds the operation of a record by its reference and by its id at the provider, in one installation', async () => {
    const first = await prepared.ended(['succeeded', 'failed']);
    const second = await prepared.ended(['succeeded']);
    const [{ recordId } = { recordId: undefined }] = (
      await prepared.send.get(`${prepared.path}/operations/${second}/records`).expect(200)
    ).body.results as OperationRecordListReply['results'];
    expect(await inInstallation('recordRef=row-1')).toEqual([first]);
    expect(await inInstallation('recordRef=row-0')).toEqual([second, first]);
    expect(await inInstallation(`recordId=${recordId}`)).toEqual([second]);
    expect(await inInstallation('recordId=nobody')).toEqual([]);
    expect(await inInstallation(`recordRef=row-0&until=${new Date(Date.now() - 3_600_000).toISOString()}`)).toEqual([]);
    // Of a record that was to be changed and was not: what the provider has not said is known from the request.
    await management
      .database('records')
      .where({ operation_id: first, record_index: 1 })
      .update({ order_key: 'l/contacts/501' });
    expect(await inInstallation('recordId=501')).toEqual([first]);
    expect(await inInstallation('recordId=01')).toEqual([]);
  });

  it('shows the group of an installation that was deleted', async () => {
    await prepared.ended(['succeeded']);
    const { projectId, integrationId, installationId, groupRef } = prepared.seed;
    await management.context.store.installations.remove({ projectId, integrationId, installationId });
    expect((await read(ofProject())).results).toMatchObject([{ groupRef, installationId }]);
    expect(await find(`?installationId=${installationId}`)).toHaveLength(1);
    expect(await find(`?groupRefPrefix=${groupRef}`)).toEqual([]);
  });

  describe('the search takes a text, whatever it names', () => {
    const search = (text: string, more = '') => read(ofProject(`?search=${encodeURIComponent(text)}${more}`));
    const foundBy = async (text: string) => (await search(text)).results.map(({ id, foundBy: by }) => [id, by]);

    it('a group by the beginning of its ref or name, in whatever letters', async () => {
      const { projectId, groupRef } = prepared.seed;
      await management.context.store.groups.putGroup({ projectId, groupRef, groupName: 'Ärzte & Söhne_100%' });
      const id = await prepared.accept();
      for (const text of [groupRef.slice(0, 4).toUpperCase(), 'ÄRZTE & s', 'ärzte & söhne_100%'])
        expect(await foundBy(text)).toEqual([[id, ['group']]]);
      for (const text of ['Söhne', 'ärzte & söhne_100%x', '%', '_']) expect(await foundBy(text)).toEqual([]);
      expect((await search('ärzte')).search).toEqual({
        groups: [{ groupRef, groupName: 'Ärzte & Söhne_100%' }],
        hasMoreGroups: false,
      });
    });

    it('a record by its ref, its id at the provider and its target', async () => {
      const first = await prepared.ended(['succeeded', 'failed']);
      const second = await prepared.accept();
      const records = management.database('records');
      await records.clone().where({ operation_id: first, record_index: 1 }).update({ ref: 'anna+1@acme.example' });
      await records.clone().where({ operation_id: second }).update({ order_key: 'l/contacts/501' });
      const of = await prepared.send.get(`${prepared.path}/operations/${first}/records`).expect(200);
      const recordId = (of.body as OperationRecordListReply).results[0]?.recordId ?? '';
      expect(await foundBy('anna+1@acme.example')).toEqual([[first, ['recordRef']]]);
      expect(await foundBy('anna+1@acme')).toEqual([]);
      expect(await foundBy(recordId)).toEqual([[first, ['recordId']]]);
      expect(await foundBy('501')).toEqual([[second, ['recordId']]]);
    });

    it('an operation by its id, its first characters and its last eight', async () => {
      const id = await prepared.accept();
      for (const text of [id, id.toUpperCase(), id.slice(0, 30), id.slice(-8)])
        expect((await foundBy(text)).filter(([found]) => found === id)).toEqual([[id, ['operation']]]);
      expect(await foundBy(id.slice(0, 7))).toEqual([]);
      expect(await foundBy(`${id.slice(0, -1)}g`)).toEqual([]);
    });

    it('joins all that it finds, filters by AND, and pages', async () => {
      const { groupRef } = prepared.seed;
      const ids = [await prepared.ended(['failed']), await prepared.accept(), await prepared.accept(1, 'deals')];
      await management.database('records').where({ operation_id: ids[0] }).update({ ref: groupRef });
      expect(await foundBy(groupRef)).toEqual([
        [ids[2], ['group']],
        [ids[1], ['group']],
        [ids[0], ['group', 'recordRef']],
      ]);
      const narrowed = async (more: string) => idsOf(await search(groupRef, more));
      expect(await narrowed('&status=failure')).toEqual([ids[0]]);
      expect(await narrowed('&hasFailures=true&objectName=deals')).toEqual([]);
      expect(await narrowed('&groupRef=another')).toEqual([]);
      expect(await narrowed(`&since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
      const pages: string[] = [];
      let token = '';
      do {
        const { results, pagination } = await search(groupRef, `&pageSize=1${token && `&pageToken=${token}`}`);
        pages.push(...results.map(({ id }) => id));
        token = pagination.nextPageToken ?? '';
      } while (token !== '');
      expect(pages).toEqual(ids.toReversed());
    });

    // Two customers of Sluice may send the same refs.
    it('nothing of another project', async () => {
      const other = await prepareOperations(management);
      const { projectId } = other.seed;
      await management
        .database('installations')
        .where({ project_id: projectId })
        .update({ group_ref: prepared.seed.groupRef });
      await management.context.store.groups.putGroup({
        projectId,
        groupRef: prepared.seed.groupRef,
        groupName: 'Theirs',
      });
      const [mine, theirs] = [await prepared.accept(), await other.accept()];
      expect(await foundBy('row-0')).toEqual([[mine, ['recordRef']]]);
      expect(await foundBy(prepared.seed.groupRef)).toEqual([[mine, ['group']]]);
      expect(await foundBy(theirs)).toEqual([]);
      expect((await search('theirs')).search?.groups).toEqual([]);
    });

    it.each(['recordRef=a', 'recordId=a', 'groupRefPrefix=a', 'counts=true'])('beside %s is 400', async (query) => {
      const { body } = await prepared.send.get(ofProject(`?search=a&${query}`)).expect(400);
      expect(body).toMatchObject({ issues: [{ in: 'query', name: query.split('=')[0] }] });
    });

    it.each(['', 'a'.repeat(256)])('the text %j is 400', async (text) => {
      const { body } = await prepared.send.get(ofProject(`?search=${text}`)).expect(400);
      expect(body).toMatchObject({ issues: [{ in: 'query', name: 'search' }] });
    });

    it('a token of another list is 400', async () => {
      await prepared.send.get(ofProject('?search=a&pageToken=AaH7GdIMdomjkXGWE2Q8AQ')).expect(400);
    });
  });

  it('counts how operations stand, whatever status is asked for', async () => {
    await prepared.ended(['failed']);
    await prepared.ended(['succeeded', 'unknown']);
    await prepared.ended(['succeeded']);
    await prepared.accept(1, 'deals');
    const counts = async (query: string) => (await read(ofProject(`?counts=true${query}`))).counts;
    const all = { inProgress: 1, success: 1, partial: 1, failure: 1, isAtLeast: false };
    expect(await counts('')).toEqual(all);
    expect(await counts(`&status=failure&groupRef=${prepared.seed.groupRef}`)).toEqual(all);
    expect(await counts('&objectName=deals')).toEqual({ ...all, success: 0, partial: 0, failure: 0 });
    expect(await counts('&groupRef=another')).toEqual({ ...all, inProgress: 0, success: 0, partial: 0, failure: 0 });
    expect((await read(ofProject())).counts).toBeUndefined();
  });

  describe('what a write in progress waits for', () => {
    const waiting = async () => (await read(ofProject())).results[0]?.waiting;
    const lanes = (set: string) =>
      management.database.raw(`update lanes set ${set} where project_id = ?`, [prepared.seed.projectId]);

    it('a batch that fills', async () => {
      await prepared.join();
      expect(await waiting()).toMatchObject({ reason: 'batch', records: 1, until: expect.any(String) });
    });

    it('its turn, the end of a block, and new credentials, each before the one above', async () => {
      await prepared.accept();
      expect(await waiting()).toMatchObject({ reason: 'turn', provider: 'hubspot' });
      await lanes(`blocked_until = '2999-01-01T00:00:00Z'`);
      expect(await waiting()).toMatchObject({ reason: 'block', until: expect.stringMatching(/^2999-01-01/) });
      const { projectId, connectionId } = prepared.seed;
      await management.context.store.connections.setStatus({
        projectId,
        connectionId,
        tokenVersion: 1,
        status: 'bad_credentials',
      });
      expect(await waiting()).toMatchObject({ reason: 'credentials', since: expect.any(String) });
    });

    it.each([
      ['unavailable', 'provider'],
      ['quota', 'retry'],
    ] as const)('the next attempt after %s: %s', async (failure, reason) => {
      await prepared.accept();
      const error = { class: failure, text: 'Later.' };
      await prepared.settle([], {
        records: [{ index: 0, kind: 'again', sendState: 'none', error }],
        attempt: { status: 503, durationMs: 3, error },
        next: { state: 'ready', delayMs: 3_600_000 },
      });
      expect(await waiting()).toMatchObject({ reason, status: 503, until: expect.any(String) });
    });

    it('an earlier write and a lookup; nothing while it is sent and after its end', async () => {
      await prepared.ended(['succeeded']);
      expect(await waiting()).toBeUndefined();
      await prepared.accept();
      const calls = (state: string) =>
        management
          .database('calls')
          .where({ project_id: prepared.seed.projectId })
          .whereNot({ state: 'done' })
          .update({ state });
      await calls('waiting');
      expect(await waiting()).toMatchObject({ reason: 'order' });
      await calls('in_doubt');
      expect(await waiting()).toMatchObject({ reason: 'lookup' });
      await calls('running');
      expect(await waiting()).toBeUndefined();
    });
  });

  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();
  it.each([
    ['recordRef=a', ['installationId', 'since']],
    [`recordId=a&since=${daysAgo(1)}`, ['installationId']],
    ['recordId=a&installationId=i', ['since']],
    [`recordRef=a&installationId=i&since=${daysAgo(32)}`, ['since']],
    [`since=${daysAgo(1)}&until=${daysAgo(2)}`, ['until']],
    ['until=tomorrow', ['until']],
    ['hasFailures=maybe', ['hasFailures']],
    [`groupRefPrefix=${'a'.repeat(256)}`, ['groupRefPrefix']],
  ])('%s is 400 and names what is wrong', async (query, names) => {
    const { body } = await prepared.send.get(ofProject(`?${query}`)).expect(400);
    const { issues } = body as { readonly issues: readonly { readonly name: string }[] };
    expect(issues.map(({ name }) => name)).toEqual(names);
  });

  it('a span of 31 days that ended long ago is searched', async () => {
    await prepared.send
      .get(ofProject(`?recordRef=a&installationId=i&since=${daysAgo(100)}&until=${daysAgo(70)}`))
      .expect(200, { results: [], pagination: { done: true } });
  });

  it('a prefix of more than 200 installations is refused with what to do', async () => {
    await management.database.raw(
      `insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
       select project_id, id || n, integration_id || n, 'many-' || n, connection_id, config_id, created_by
       from installations, generate_series(1, 201) n where project_id = ?`,
      [prepared.seed.projectId],
    );
    expect(await find('?groupRefPrefix=many-2')).toEqual([]);
    const { body } = await prepared.send.get(ofProject('?groupRefPrefix=many')).expect(400);
    const issue = {
      in: 'query',
      name: 'groupRefPrefix',
      detail: 'begins the groups of more than 200 installations',
      value: 'many',
    };
    expect(body).toMatchObject({ code: 'request.invalid', issues: [issue], remedy: 'Name more of the group.' });
  });
});

describe('the records of an operation', () => {
  const records = async (id: string, query = '') =>
    (await prepared.send.get(`${prepared.path}/operations/${id}/records${query}`).expect(200))
      .body as OperationRecordListReply;

  it('are paged in order of index', async () => {
    const id = await prepared.accept(5);
    const first = await records(id, '?pageSize=2');
    const second = await records(id, `?pageSize=2&pageToken=${first.pagination.nextPageToken}`);
    const third = await records(id, `?pageSize=2&pageToken=${second.pagination.nextPageToken}`);
    expect([first, second, third].flatMap(({ results }) => results.map(({ index }) => index))).toEqual([0, 1, 2, 3, 4]);
    expect(third.pagination).toEqual({ done: true });
    expect(await records(id)).toMatchObject({ pagination: { done: true }, results: { length: 5 } });
  });

  it('are found by status, paged as well', async () => {
    const id = await prepared.ended(['succeeded', 'failed', 'succeeded', 'failed']);
    const failed = await records(id, '?status=failed&pageSize=1');
    expect(failed.results).toMatchObject([{ index: 1, status: 'failed', error: { class: 'rejected' } }]);
    const rest = await records(id, `?status=failed&pageToken=${failed.pagination.nextPageToken}`);
    expect(rest).toMatchObject({ pagination: { done: true }, results: [{ index: 3 }] });
    expect((await records(id, '?status=unknown')).results).toEqual([]);
    expect((await records(id, '?status=failed&ref=row-0')).results).toEqual([]);
    const refused = await prepared.send.get(`${prepared.path}/operations/${id}/records?status=lost`).expect(400);
    expect(refused.body.issues).toMatchObject([{ in: 'query', name: 'status', value: 'lost' }]);
  });

  it('are found by ref, and a token of another list is refused', async () => {
    const id = await prepared.accept(3);
    expect((await records(id, '?ref=row-1')).results).toMatchObject([{ index: 1, ref: 'row-1', status: 'pending' }]);
    await prepared.send.get(`${prepared.path}/operations/${id}/records?pageToken=AaH7GdIMdomjkXGWE2Q8AQ`).expect(400);
  });
});
