import { ProviderError } from '@sluice/errors';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const create = { type: 'create', record: { email: 'a@x.com' } };
const lastToken = () => gateway.hubspot.calls.at(-1)?.token;

async function replaceToken(seed: Seed, accessToken: string): Promise<void> {
  const { projectId, connectionId } = seed;
  const sealed = gateway.context.installations.seal({ noun: 'connection', id: connectionId }, { accessToken });
  await gateway.context.store.connections.change({ projectId, connectionId, credentials: { sealed } });
}

/** As the database has it when the token's end is near. */
async function expire(seed: Seed): Promise<void> {
  await gateway
    .database('connections')
    .where({ id: seed.connectionId })
    .update({ token_refresh_at: new Date(0) });
}

// What a process holds opened is used only while the opening statement confirms that it is what is stored.
it('a replaced token is used by the very next write, also where the old one was in memory', async () => {
  const seed = await gateway.seed();
  for (const token of ['first', 'second', 'third']) {
    await replaceToken(seed, token);
    await gateway.write(seed, create).expect(200);
    expect(lastToken()).toBe(token);
    await gateway.write(seed, create).expect(200);
    expect(lastToken()).toBe(token);
  }
});

it('a token at its end that nothing refreshes is used as it is', async () => {
  const seed = await gateway.seed();
  await expire(seed);
  await gateway.write(seed, create).expect(200);
  expect(gateway.hubspot.calls.at(-1)?.path).toBe('/crm/v3/objects/contacts');
});

it('a grant that is gone is found before anything is stored or sent', async () => {
  const seed = await gateway.seed();
  await expire(seed);
  const rows = await gateway.countRows();
  const gone = new ProviderError({ class: 'credentials', detail: 'The grant is gone.' });
  const spied = jest.spyOn(gateway.context.installations, 'liveCredentials').mockRejectedValueOnce(gone);
  await gateway.write(seed, create).expect(409);
  spied.mockRestore();
  expect(await gateway.countRows()).toEqual(rows);
  expect(gateway.hubspot.calls).toEqual([]);
});

// The statement that returns the credentials has opened the write by then: it ends as not sent, and nobody has to find out.
it('credentials that cannot be opened: 500, the operation has failed, nothing is sent', async () => {
  const seed = await gateway.seed();
  await gateway.database('connections').where({ id: seed.connectionId }).update({ sealed_credentials: 'v1.k1.x.x.x' });
  const reply = await gateway.write(seed, create).expect(500);
  expect(reply.text).not.toContain('v1.k1');
  expect(gateway.hubspot.calls).toEqual([]);
  const operations = await gateway
    .database('operations')
    .where({ project_id: seed.projectId })
    .select('id', 'state', 'result');
  expect(operations).toEqual([{ id: expect.any(String), state: 'failed', result: expect.stringMatching(/^Not sent/) }]);
  const calls = await gateway.database('calls').where({ project_id: seed.projectId }).select('state');
  expect(calls).toEqual([{ state: 'done' }]);
});
