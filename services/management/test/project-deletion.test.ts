import { until } from '@sluice/testkit';
import { prepareInstallation } from './prepare-installation';
import { adminKey, useManagement } from './start-management';

const management = useManagement();

const isDead = async (key: string, path: string) => (await management.as(key).get(path)).status === 401 || undefined;
const rows = async (table: string, projectId: string) =>
  (await management.database(table).where({ project_id: projectId }).select('project_id')).length;
const letTimePass = (projectId: string) =>
  management.database.raw(
    `update project_deletions set requested_at = requested_at - interval '11 minutes' where project_id = ?`,
    [projectId],
  );

describe('204 DELETE P', () => {
  it.each(['id', 'name'])('deletes by %s, with a key of the project, which is dead afterwards', async (by) => {
    const { send, seed, path } = await prepareInstallation(management);
    const key = await management.newKey(seed.projectId, ['read']);
    const named = `/v1/projects/${by === 'id' ? seed.projectId : seed.projectName}`;
    await management.as(key).get(named).expect(200);
    expect((await send.delete(named).expect(204)).text).toBe('');
    for (const table of ['installations', 'connections', 'integrations', 'groups', 'consumers', 'api_keys'])
      expect([table, await rows(table, seed.projectId)]).toEqual([table, 0]);
    await until('the other key is forgotten', () => isDead(key, path));
    await until('its own key is forgotten', async () => (await send.delete(named)).status === 401 || undefined);
  });

  it('erases what is left when requests of before are over, and no other project', async () => {
    const { send, seed } = await prepareInstallation(management);
    const other = await prepareInstallation(management);
    await send.delete(`/v1/projects/${seed.projectId}`).expect(204);
    expect(await rows('configs', seed.projectId)).toBe(1);
    await letTimePass(seed.projectId);
    await until('it is erased', async () => (await rows('project_deletions', seed.projectId)) === 0 || undefined);
    for (const table of ['configs', 'config_contents', 'revisions', 'lanes'])
      expect([table, await rows(table, seed.projectId), await rows(table, other.seed.projectId)]).toEqual([
        table,
        0,
        1,
      ]);
    await other.send.get(other.path).expect(200);
  });
});

describe('404 DELETE P', () => {
  it('a project that is deleted while it is changed is not found', async () => {
    const { id } = await management.newProject();
    const sent = { updateMask: ['appName'], project: { appName: 'Late' } };
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`;
    // The change finds the project, and waits for whoever deletes its row.
    const change = await management.database.transaction(async (deletion) => {
      await deletion('projects').where({ id }).delete();
      const reply = management
        .as(adminKey)
        .patch(`/v1/projects/${id}`)
        .send(sent)
        .then((answer) => answer);
      await until('the change waits', async () => (await deletion.raw(waiting)).rowCount > 0 || undefined);
      return { reply };
    });
    const { status, body } = await change.reply;
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'project.not-found' });
  });
});
