import { sampleConfig, until } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const deletable = (enabled: boolean) =>
  sampleConfig({ write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled } } } } });
const remove = (seed: Seed, id: string) => gateway.write(seed, { type: 'delete', record: { id } });
const deleted = () => gateway.hubspot.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
const pathOf = (id: string) => `/crm/v3/objects/contacts/${id}`;

async function allow(seed: Seed, enabled: boolean): Promise<void> {
  const { projectId, integrationId, installationId } = seed;
  const next = { content: deletable(enabled), createdBy: 'builder:test', isCreatedByAsked: false };
  await gateway.context.store.installations.change({ projectId, integrationId, installationId }, (current) => ({
    ...next,
    connectionId: current.connectionId,
  }));
}

/** 1,000 requests on a machine that is busy with other suites; nothing here is about time. */
const boundMs = 400_000;

// Item 49: the check and the intent are one transaction, so no delete is decided on a config that is no longer in force.
it(
  '[sec-49] [sec-10] 250 times disable and delete at once: what was refused never leaves, and after the disable nothing does',
  async () => {
    // So many that none of their accounts takes 110 calls, which is what one may in 10 s: both deletes of a pass may take one.
    const seeds = await Promise.all(Array.from({ length: 5 }, () => gateway.seed({ config: deletable(true) })));
    const allowed: string[] = [];
    const round = async (seed: Seed, name: string): Promise<void> => {
      const [during] = await Promise.all([remove(seed, `1${name}`), allow(seed, false)]);
      // 503: the config changed once more between the second read and the commit; nothing was written, and the caller may repeat.
      expect([200, 403, 503]).toContain(during.status);
      if (during.status === 200) allowed.push(pathOf(`1${name}`));
      await remove(seed, `2${name}`).expect(403);
      await allow(seed, true);
    };
    const rounds = async (seed: Seed, of: number): Promise<void> => {
      for (let at = 0; at < 50; at += 1) await round(seed, String(of * 1_000 + at).padStart(5, '0'));
    };
    await Promise.all(seeds.map(rounds));
    expect(new Set(deleted())).toEqual(new Set(allowed));
    expect(deleted()).toHaveLength(allowed.length);
  },
  boundMs,
);

// Without the lock the delete would go by the config of its snapshot, and leave after the disable was committed.
it('[sec-49] a delete that meets a disable under way waits for it, and is refused', async () => {
  const seed = await gateway.seed({ config: deletable(true) });
  await remove(seed, '5').expect(200);
  const disabled = await gateway.seed({ config: deletable(false) });
  const [config] = await gateway.database('configs').where({ id: disabled.configId }).select('content_hash');
  const { content_hash: hash } = config as { content_hash: string };
  const [content] = await gateway.database('config_contents').where({ hash }).select('content');
  await gateway
    .database('config_contents')
    .insert({ project_id: seed.projectId, hash, ...content })
    .onConflict()
    .ignore();
  const before = deleted().length;
  const disabling = await gateway.database.transaction();
  const own = { project_id: seed.projectId, id: seed.installationId };
  const configRow = { id: `${seed.configId}-off`, installation_id: seed.installationId, revision_id: seed.revisionId };
  await disabling('configs').insert({ project_id: seed.projectId, content_hash: hash, created_by: 'x', ...configRow });
  await disabling('installations').where(own).update({ config_id: configRow.id });
  const deleting = remove(seed, '6').then((reply) => reply);
  await until('the delete to wait for the row', async () => {
    const waiting = await gateway.database.raw<{ rows: unknown[] }>(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for share%'`,
    );
    return waiting.rows.length > 0 || undefined;
  });
  await disabling.commit();
  expect(await deleting).toMatchObject({ status: 403, body: { code: 'write.delete-not-enabled' } });
  expect(deleted()).toHaveLength(before);
});
