import { sharedStack } from '../harness/shared-stack';
import { columns, strangers } from './tenancy/callers';
import { parametersOf, type Row, type Service } from './tenancy/row';
import { rows } from './tenancy/rows';
import { comparable, send } from './tenancy/send';
import { createWorld, type Ids, type World } from './tenancy/world';

const stack = sharedStack();
let world: World;
beforeAll(async () => {
  world = await createWorld(stack);
});

const unknownId = '0190a4c2-7b5e-7000-8000-00000000dead';
const isOf = (names: readonly (keyof Ids)[]) => (row: Row) => parametersOf(row).some((name) => names.includes(name));
const ask = (row: Row, ids: Ids, who: keyof World['credentials']) => send(world, row, ids, world.credentials[who]);

/** Operations of a service's document that ask who calls. */
async function documented(service: Service): Promise<string[]> {
  type Operations = Record<string, { security: readonly object[] }>;
  const reply = await fetch(`${stack.url(service)}/openapi.json`);
  const { paths } = (await reply.json()) as { paths: Record<string, Operations> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

// A new endpoint is open to nobody before its row says to whom.
it.each<Service>(['management', 'search', 'write-gateway'])('each endpoint of %s has its row', async (service) => {
  const listed = rows.filter((row) => row.service === service).map(({ endpoint }) => endpoint);
  expect(listed.toSorted()).toEqual((await documented(service)).toSorted());
});

describe('[sec-8] each caller at each endpoint', () => {
  it.each(rows)('$service $endpoint', async (row) => {
    const answered: Record<string, number> = {};
    for (const column of columns) {
      const ids = { ...world.ids, ...(await row.request.fresh?.(world)) };
      answered[column] = (await ask(row, ids, column)).status;
    }
    expect(answered).toEqual(row.expected);
  });

  it.each(rows)('$service $endpoint: 401 for who has no valid credentials', async (row) => {
    const answered = await Promise.all(strangers.map(async (who) => [who, await ask(row, world.ids, who)] as const));
    for (const [who, { status, text }] of answered) {
      expect([who, status]).toEqual([who, 401]);
      expect(text).toContain('"code":"auth.');
    }
  });
});

describe("[sec-1] [sec-3] [sec-12] another project's names are answered like unknown ones, byte for byte", () => {
  const inProject = rows.filter(isOf(['projectIdOrName']));

  it.each(inProject)('$service $endpoint: the project itself', async (row) => {
    const replies = [world.project.id, world.project.name, unknownId, 'no-such-project'].map(async (name) =>
      comparable(await ask(row, { ...world.ids, projectIdOrName: name }, 'foreign'), name),
    );
    const [first, ...others] = await Promise.all(replies);
    expect(first).toMatch(/^404 .*project\.not-found/);
    for (const other of others) expect(other).toBe(first);
  });

  const children: readonly (keyof Ids)[] = [
    'integrationId',
    'installationId',
    'connectionId',
    'operationId',
    'configId',
    'revisionId',
    'providerAppId',
    'apiKeyId',
    'jwtKeyId',
    'endpointId',
    'messageId',
  ];
  const cases = rows.flatMap((row) =>
    parametersOf(row)
      .filter((name) => children.includes(name))
      .map((name) => ({ row, name, at: `${row.service} ${row.endpoint}` })),
  );

  it.each(cases)('$at: $name', async ({ row, name }) => {
    const answer = async (id: string) => comparable(await ask(row, { ...world.ids, [name]: id }, 'full'), id);
    const theirs = await answer(world.foreignIds[name]);
    expect(theirs).toMatch(/^404 /);
    expect(theirs).toBe(await answer(unknownId));
  });
});

describe('[sec-2] what a bearer token may name', () => {
  const ofGroup: readonly (keyof Ids)[] = ['installationId', 'connectionId', 'operationId', 'configId'];
  const cases = rows
    .filter((row) => row.expected.token < 300)
    .flatMap((row) => parametersOf(row).map((name) => ({ row, name, at: `${row.service} ${row.endpoint}` })))
    .filter(({ name }) => ofGroup.includes(name));

  it.each(cases)("$at: another group's $name is answered like an unknown one", async ({ row, name }) => {
    const ids = world.otherIds;
    const theirs = await ask(row, ids, 'token');
    const unknown = await ask(row, { ...ids, [name]: unknownId }, 'token');
    expect(theirs.status).toBe(404);
    expect(comparable(theirs, ids[name])).toBe(comparable(unknown, unknownId));
  });

  const named = rows.filter((row) => row.expected.token < 300 && row.expected.other === 404 && !isOf(ofGroup)(row));

  it.each(named)('$service $endpoint: another groupRef is answered like an unknown one', async (row) => {
    const answer = async (groupRef: string) =>
      comparable(await ask(row, { ...world.otherIds, groupRef }, 'token'), groupRef);
    const theirs = await answer(world.otherIds.groupRef);
    expect(theirs).toMatch(/^404 /);
    expect(theirs).toBe(await answer('nobody-has-this'));
  });

  const lists = rows.filter(({ endpoint }) => /^GET .*\/(installations|connections)$/.test(endpoint));

  it.each(lists)('$endpoint: a list holds its group only, whatever the query asks for', async (row) => {
    for (const [who, mine] of [
      ['token', world.ids],
      ['other', world.otherIds],
    ] as const) {
      const { text } = await ask(row, mine, who);
      const groups = (JSON.parse(text) as { group: { groupRef: string } }[]).map(({ group }) => group.groupRef);
      expect([...new Set(groups)]).toEqual([mine.groupRef]);
    }
    const query = ({ groupRef }: Ids) => ({ groupRef });
    const asked = { ...row, request: { ...row.request, query } };
    expect((await ask(asked, world.otherIds, 'token')).text).toBe('[]');
  });

  it('the operations of a project, too', async () => {
    const row = rows.find(({ endpoint }) => endpoint === 'GET /projects/{projectIdOrName}/operations');
    if (row === undefined) throw new Error('there is no such row');
    type Page = { results: { installationId: string }[] };
    const installationsOf = ({ text }: { text: string }) =>
      new Set((JSON.parse(text) as Page).results.map(({ installationId }) => installationId));
    expect(installationsOf(await ask(row, world.ids, 'full')).size).toBeGreaterThan(1);
    expect([...installationsOf(await ask(row, world.ids, 'token'))]).toEqual([world.ids.installationId]);
    const asked = { ...row, request: { query: () => ({ groupRef: world.otherIds.groupRef }) } };
    expect(installationsOf(await ask(asked, world.ids, 'token')).size).toBe(0);
  });

  // A provider's user must not be able to act for another user of the group.
  it('makes connections for its own user only', async () => {
    const row = rows.find(({ endpoint }) => endpoint.endsWith('connections:generate'));
    if (row?.request.body === undefined) throw new Error('there is no such row');
    const { body } = row.request;
    const asked = { ...row, request: { body: (ids: Ids) => ({ ...body(ids, world), consumerRef: 'somebody' }) } };
    const { status, text } = await ask(asked, world.ids, 'token');
    expect(status).toBe(403);
    expect(text).toContain('consumerRef');
  });
});

// Three customers of two projects: of 36 combinations of names and key only the three that belong together find anything.
it('[sec-2] finds an installation by names that all belong together, and by no others', async () => {
  const row = rows.find(({ service }) => service === 'search');
  if (row === undefined) throw new Error('there is no such row');
  const customers = [world.ids, world.otherIds, world.foreignIds];
  const tuples = (['full', 'foreign'] as const).flatMap((who) =>
    [world.ids, world.foreignIds].flatMap(({ projectIdOrName }) =>
      customers.flatMap(({ integrationId }) =>
        customers.map(({ groupRef }) => ({ who, names: { projectIdOrName, integrationId, groupRef } })),
      ),
    ),
  );
  const found: string[] = [];
  for (const { who, names } of tuples) {
    const { status } = await ask(row, { ...world.ids, ...names }, who);
    expect([200, 404]).toContain(status);
    if (status === 200) found.push(Object.values(names).join(' '));
  }
  const together = customers.map((ids) => [ids.projectIdOrName, ids.integrationId, ids.groupRef].join(' '));
  expect(found).toEqual(together);
});

// Reliability 4.1, rows 4 and 14: the specification lists secrets among the members of a connection.
it('[sec-4] shows no secret to anybody who does not ask for it with a full key', async () => {
  const { token, refreshToken, clientSecret } = world.customer.account;
  const secrets = [token, refreshToken, clientSecret, 'secret-of-the-app'].filter((secret) => secret !== '');
  for (const row of rows.filter(({ endpoint }) => endpoint.startsWith('GET ')))
    for (const column of columns) {
      const { text } = await ask(row, world.ids, column);
      expect([row.endpoint, column, secrets.filter((secret) => text.includes(secret))]).toEqual([
        row.endpoint,
        column,
        [],
      ]);
    }
  const row = rows.find(({ endpoint }) => endpoint.startsWith('GET ') && endpoint.endsWith('/{connectionId}'));
  if (row === undefined) throw new Error('there is no such row');
  const asking = { ...row, request: { query: () => ({ includeCreds: 'true' }) } };
  for (const column of columns) {
    const { status, text } = await ask(asking, world.ids, column);
    const expected = { full: 200, foreign: 404 }[column as string] ?? 403;
    expect([column, status, text.includes(token)]).toEqual([column, expected, column === 'full']);
  }
});

describe('[sec-2] a child of another parent', () => {
  const children: readonly (keyof Ids)[] = ['installationId', 'configId'];
  const cases = rows.flatMap((row) =>
    children
      .filter((name) => parametersOf(row).includes(name))
      .map((name) => ({ row, name, at: `${row.service} ${row.endpoint}` })),
  );

  it.each(cases)('$at: $name of another parent of the same project is 404', async ({ row, name }) => {
    const answer = async (id: string) => comparable(await ask(row, { ...world.ids, [name]: id }, 'full'), id);
    const theirs = await answer(world.otherIds[name]);
    expect(theirs).toMatch(/^404 /);
    expect(theirs).toBe(await answer(unknownId));
  });
});
