import { until } from '@sluice/testkit';
import { connectSessionsMax, type ConnectSession, type Connection } from '@sluice/types';
import { codeOf, position, token, useConnect } from './connect-fixture';
import type { Sender } from './start-management';

const {
  management,
  its,
  give,
  giveAtOnce,
  leftOver,
  order,
  create,
  open,
  browse,
  installations,
  connections,
  sessions,
} = useConnect();

describe('[sec-52] how many links there are, and what ends them', () => {
  const end = (id: string, status: number, as: Sender = its.send) =>
    as.delete(`${its.base}/connect-sessions/${id}`).expect(status);

  it('a project has at most 1,000 that are open; the next is refused until one has ended or was used', async () => {
    const { id } = await create();
    const count = connectSessionsMax - 2;
    await management.database.raw(
      `insert into connect_sessions (project_id, id, token_hash, integration_id, group_ref, consumer_ref, expires_at)
       select project_id, 'filled-' || n, 'filled-' || n, integration_id, group_ref, consumer_ref, expires_at
       from connect_sessions, generate_series(1, ?) n where project_id = ?`,
      [count, its.project.id],
    );
    const together = await Promise.all(
      Array.from({ length: 3 }, () => its.send.post(`${its.base}/connect-sessions`).send(order('nothing'))),
    );
    expect(together.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 429, 429]);
    const refused = together.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({
      code: 'connect-session.limit-reached',
      detail: expect.stringContaining('1000'),
      remedy: expect.stringContaining('DELETE connect-sessions/{id}'),
    });
    expect(refused?.headers['retry-after']).toBeDefined();
    await end(id, 204);
    await create();
    await sessions().where({ id: 'filled-1' }).update({ used_at: management.database.fn.now() });
    await create();
    await its.send.post(`${its.base}/connect-sessions`).send(order('nothing')).expect(429);
    // Another project has its own.
    const other = await management.newProject();
    expect(
      (await management.as(other.key).post(`/v1/projects/${other.id}/connect-sessions`).send(order('nothing'))).status,
    ).toBe(404);
  });

  it('DELETE ends one, once, with what it has connected and not installed', async () => {
    const { id, token: secret } = await create('required');
    const browser = open(secret);
    expect(await browser.connect()).toMatchObject({ state: 'connected' });
    await end(id, 204);
    expect(await browser.load()).toEqual({ state: 'expired', app: { name: 'App' } });
    expect(codeOf((await browser.submit('/choices').expect(410)).body)).toBe('connect-session.expired');
    expect(await connections()).toEqual([]);
    expect((await end(id, 404)).body).toMatchObject({ code: 'connect-session.not-found' });
    await end('never-was', 404);
    const other = await management.newProject();
    await end(id, 404, management.as(other.key));
  });

  it('a customer who is at the provider when the link ends connects nothing', async () => {
    const { id, token: secret } = await create();
    const browser = open(secret);
    await browser.load();
    const { tokenEndpoint } = management.hubspot;
    const before = tokenEndpoint.asked.length;
    const address = await browser.allow();
    let answer = (): void => undefined;
    tokenEndpoint.gate = new Promise<void>((resolve) => (answer = resolve));
    const back = browser.back(address).expect(303);
    const done = back.then(() => undefined);
    await until('the code is exchanged', () => tokenEndpoint.asked.length === before + 1 || undefined);
    await end(id, 204);
    answer();
    await done;
    expect(await connections()).toEqual([]);
  });

  it('what was installed stays when the link ends before a choice', async () => {
    const { id, token: secret } = await create('optional');
    const browser = open(secret);
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    await end(id, 204);
    expect(await browser.load()).toMatchObject({ state: 'used' });
    expect(await installations()).toHaveLength(1);
    expect(await leftOver()).toEqual([]);
  });

  it.each([
    ['frontend', 403],
    ['read', 403],
    ['search', 403],
    ['write', 204],
  ])('a key of scope %s ends one: %i', async (scope, status) => {
    const { id } = await create();
    await end(id, status, management.as(await management.newKey(its.project.id, [scope])));
    expect(await sessions().whereRaw('expires_at > now()')).toHaveLength(status === 204 ? 0 : 1);
  });

  it.each(['switched off', 'deleted'])('a key that is %s takes its open links with it, and no others', async (how) => {
    const key = await management.newKey(its.project.id, ['write']);
    const sent = management.as(key).post(`${its.base}/connect-sessions`).send(order('nothing'));
    const { token: secret } = (await sent.expect(201)).body as ConnectSession;
    const [browser, other] = [open(secret), await browse()];
    await browser.load();
    const back = await browser.allow();
    const [{ id }] = (await management
      .database('api_keys')
      .where({ project_id: its.project.id })
      .orderBy('created_at', 'desc')
      .select('id')) as [{ id: string }];
    const path = `${its.base}/api-keys/${id}`;
    if (how === 'deleted') await its.send.delete(path).expect(204);
    else
      await its.send
        .patch(path)
        .send({ updateMask: ['active'], apiKey: { active: false } })
        .expect(200);
    expect(await browser.load()).toEqual({ state: 'expired', app: { name: 'App' } });
    expect(codeOf((await browser.submit('/authorization').expect(410)).body)).toBe('connect-session.expired');
    await browser.back(back).expect(303);
    expect(await connections()).toEqual([]);
    expect(await other.connect()).toMatchObject({ state: 'done' });
  });
});

describe('at once, and cut short', () => {
  it('two tabs that submit together make one connection and one installation', async () => {
    const browser = await browse();
    await browser.load();
    const submits = await Promise.all(
      Array.from({ length: 6 }, () => browser.submit('/credentials', { apiKey: token })),
    );
    const statuses = submits.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await leftOver()).toEqual([]);
    expect(await installations()).toHaveLength(1);
    const backs = await browse('optional');
    await backs.load();
    const addresses = [await backs.allow(), await backs.allow(), await backs.allow()];
    await Promise.all(addresses.map((address) => backs.back(address).expect(303)));
    expect(await installations()).toHaveLength(2);
  });

  it('two links with an account each, whose choices come together: one of them installs', async () => {
    const links = [await browse('required'), await browse('required')];
    for (const link of links) await link.load();
    await links[0]?.connect();
    give('connect-other', 8);
    await links[1]?.connect();
    const content = { read: { objects: { contacts: { selectedFieldMappings: { position: 'jobtitle' } } } } };
    const submits = await Promise.all(links.map((link) => link.submit('/choices', { content })));
    expect(submits.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
    expect(await installations()).toHaveLength(1);
  });

  it('browsers that submit together: one has it', async () => {
    const { token: secret } = await create();
    const browsers = Array.from({ length: 6 }, () => open(secret));
    for (const browser of browsers) await browser.load();
    const submits = await Promise.all(browsers.map((browser) => browser.submit('/authorization')));
    expect(submits.filter(({ status }) => status === 403)).toHaveLength(5);
  });

  describe('two accounts whose codes are exchanged at one time', () => {
    it.each([
      ['nothing', 'done'],
      ['required', 'connected'],
    ] as const)(
      'in two tabs of a link that leaves %s: one is used, and the other tab says so',
      async (leaves, state) => {
        const browser = await browse(leaves);
        await browser.load();
        const [own, other] = giveAtOnce();
        const addresses = [await browser.allow(own), await browser.allow(other)];
        await Promise.all(addresses.map((address) => browser.back(address).expect(303)));
        const [connection, ...more] = await connections();
        expect(more).toEqual([]);
        expect(await browser.load()).toMatchObject({
          state,
          session: { connectionId: connection?.id, failure: expect.stringContaining('beside it is not used') },
        });
      },
    );

    it('by two links of a group: the one that installs is used, and nothing of the other is left', async () => {
      const links = [await browse(), await browse()];
      for (const link of links) await link.load();
      const codes = giveAtOnce();
      const addresses = await Promise.all(links.map((link, at) => link.allow(codes[at])));
      await Promise.all(links.map((link, at) => link.back(addresses[at] ?? '').expect(303)));
      expect(await installations()).toHaveLength(1);
      expect(await leftOver()).toEqual([]);
      const views = await Promise.all(links.map((link) => link.load()));
      expect(views.map(({ state }) => state).toSorted()).toEqual(['done', 'open']);
      const late = views.find(({ state }) => state === 'open');
      expect(late?.session).toMatchObject({ installed: {}, failure: expect.stringContaining('meanwhile') });
    });

    it('by two links that wait for a choice: the first choice is used, and nothing of the other is left', async () => {
      const [first, second] = [await browse('required'), await browse('required')];
      await first.load();
      await second.load();
      const [own, other] = giveAtOnce();
      const addresses = [await first.allow(own), await second.allow(other)] as const;
      await Promise.all([first.back(addresses[0]).expect(303), second.back(addresses[1]).expect(303)]);
      expect(await leftOver()).toHaveLength(2);
      await first.submit('/choices', position('jobtitle')).expect(200);
      // The other customer does nothing any more.
      expect(await leftOver()).toEqual([]);
      expect(await installations()).toMatchObject([{ connection: { providerWorkspaceRef: '4711' } }]);
    });
  });

  it('a connection that was there before a link is not taken back with it', async () => {
    const body = { provider: 'hubspot', groupRef: 'acme', consumerRef: 'ann', apiKey: token };
    const { id } = (await its.send.post(`${its.base}/connections:generate`).send(body).expect(201)).body as Connection;
    const [first, second] = [await browse('required'), await browse('required')];
    for (const link of [first, second]) await link.load();
    const [{ id: session }] = (await sessions().select('id').orderBy('id').limit(1)) as [{ id: string }];
    await management.context.store.connections.change({
      projectId: its.project.id,
      connectionId: id,
      connectSessionId: session,
    });
    give('connect-other', 8);
    await second.connect();
    await second.submit('/choices', position('jobtitle')).expect(200);
    expect(await sessions().whereNotNull('failure')).toMatchObject([{ id: session, connection_id: null }]);
    expect(await leftOver()).toEqual([id]);
  });

  // The effects are committed one after another. What is left after a process died, or the database refused, is done by the next load.
  it('what ended between the connection and the installation goes on with the next load', async () => {
    const browser = await browse();
    await browser.load();
    const back = await browser.allow();
    await management.database.raw(`
      create function refuse_installation() returns trigger language plpgsql as $$ begin raise exception 'cut short'; end $$;
      create trigger cut_short before insert on installations for each row execute function refuse_installation()`);
    await browser.back(back);
    expect(await connections()).toHaveLength(1);
    expect(await installations()).toEqual([]);
    expect(await sessions().whereNotNull('connection_id')).toHaveLength(1);
    await management.database.raw('drop trigger cut_short on installations; drop function refuse_installation()');
    expect(await browser.load()).toMatchObject({ state: 'done' });
    expect(await installations()).toHaveLength(1);
  });
});
