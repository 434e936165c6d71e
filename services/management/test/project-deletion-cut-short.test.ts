import { startTcpProxy, until, type TcpProxy } from '@sluice/testkit';
import { prepareInstallation } from './prepare-installation';
import { startManagement, type RunningManagement } from './start-management';

let management: RunningManagement;
let proxy: TcpProxy;
beforeAll(async () => {
  management = await startManagement(undefined, async (url) => {
    proxy = await startTcpProxy(url);
    return proxy.url;
  });
});
afterAll(async () => {
  await management.stop();
  proxy.close();
});

const rows = async (table: string, projectId: string) =>
  (await management.database(table).where({ project_id: projectId }).select('project_id')).length;

// What was committed is a deletion, and its key opens nothing any more: nobody could ask again after an error.
it('204 DELETE P when the database goes away after the first transaction; the sweep does the rest', async () => {
  const { seed, send } = await prepareInstallation(management);
  const { projectId } = seed;
  // A connection that somebody holds: the request ends access, and stands still before it is done.
  const reply = await management.database.transaction(async (transaction) => {
    await transaction('connections').where({ project_id: projectId }).forUpdate().select('id');
    const asked = send.delete(`/v1/projects/${projectId}`).then((answer) => answer);
    await until('access has ended', async () => (await rows('project_deletions', projectId)) === 1 || undefined);
    proxy.cut();
    return await asked;
  });
  expect([reply.status, reply.text]).toEqual([204, '']);
  expect(await rows('connections', projectId)).toBe(1);
  await proxy.mend();
  await until('it is withdrawn', async () => (await rows('connections', projectId)) === 0 || undefined);
});

it('503 DELETE P when the database is away before; nothing is deleted', async () => {
  const { seed, send } = await prepareInstallation(management);
  const path = `/v1/projects/${seed.projectId}`;
  await send.get(path).expect(200);
  proxy.cut();
  await send.delete(path).expect(503);
  await proxy.mend();
  expect(await rows('project_deletions', seed.projectId)).toBe(0);
  await send.get(path).expect(200);
});
