import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedStack } from '../harness/shared-stack';
import { createWorld, type World } from '../security/tenancy/world';
import { guideRows, tableUnder } from './guide-rows';
import { faultOf, md5Of, send, type Replay } from './replay';
import { replays } from './replays';
import { handedOut, zip } from './replays/uploads';

const stack = sharedStack();
let world: World;
beforeAll(async () => {
  world = await createWorld(stack);
});

const done = replays.filter(({ notDone }) => notDone === undefined);
const notDone = replays.filter((replay) => replay.notDone !== undefined);
const fault = async (replay: Replay) => faultOf(replay, await send(replay, world));

describe('a request of a published client gets the published reply', () => {
  it.each(done)('$client $call: $request -> $status', async (replay) => {
    expect(await fault(replay)).toBeUndefined();
  });
});

// The rows take the address apart; the command line does not. A manifest for each integration is usual, so what a deployment
// leaves out stands for customers of another one.
it.each([
  ['', ''],
  [', "Stop reading these objects"', '?destructive=true'],
])(
  'amp deploy%s: the three requests, with the address as it was handed out; nothing is deleted',
  async (_choice, query) => {
    const listed = async () => {
      const reply = await fetch(`${world.project.url}/integrations`, { headers: { 'x-api-key': world.project.key } });
      return ((await reply.json()) as { id: string }[]).map(({ id }) => id);
    };
    const before = await listed();
    expect(before).toContain(world.ids.integrationId);
    const { bucket, path, url } = await handedOut(world, md5Of(zip));
    const put = await fetch(url, { method: 'PUT', headers: { 'content-md5': md5Of(zip) }, body: new Uint8Array(zip) });
    expect(put.status).toBe(200);
    const deployed = await fetch(`${world.project.url}/integrations:batch${query}`, {
      method: 'PUT',
      headers: { 'x-api-key': world.project.key, 'content-type': 'application/json' },
      // It puts a slash before a path that has none.
      body: JSON.stringify({ sourceZipUrl: `gs://${bucket}${path.startsWith('/') ? '' : '/'}${path}` }),
    });
    expect([deployed.status, await deployed.json()]).toMatchObject([200, [{ name: 'zipped' }]]);
    expect(await listed()).toEqual(expect.arrayContaining(before));
  },
);

// So that the table of the guide stays true: who builds one of these moves its row.
describe('what is not done is answered so', () => {
  it.each(notDone)('$client $call: $request -> $status', async (replay) => {
    expect(await fault(replay)).toBeUndefined();
  });
});

it('the guide has a row for each of them, and no other', () => {
  const page = readFileSync(join(__dirname, '../../docs/guides/published-clients.md'), 'utf8');
  expect(tableUnder('The Node SDKs, the command line and the rest of the published API', page)).toEqual(
    guideRows(replays),
  );
});
