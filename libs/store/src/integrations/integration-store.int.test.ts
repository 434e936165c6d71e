import { sampleManifest } from '@sluice/testkit';
import { useDatabase } from '../../test/use-database';
import { integrationStore } from './integration-store';

const fixture = useDatabase();

const integration = (projectId: string, name = 'crm') => ({
  projectId,
  name,
  provider: 'hubspot',
  specVersion: '1.0.0',
  content: sampleManifest({ name }),
});

const listed = async (integrations: ReturnType<typeof integrationStore>, projectId: string) =>
  (await integrations.listPage(projectId, { size: 10 })).items;

describe('integrationStore', () => {
  it('puts all or none', async () => {
    const integrations = integrationStore(fixture.database);
    await integrations.putAll('p4', [integration('p4', 'b')]);
    const put = integrations.putAll('p4', [
      integration('p4', 'a'),
      { ...integration('p4', 'b'), provider: 'salesforce' },
    ]);
    await expect(put).rejects.toMatchObject({
      code: 'integration.name-taken',
      detail: expect.stringContaining('salesforce'),
    });
    expect((await listed(integrations, 'p4')).map(({ name }) => name)).toEqual(['b']);
  });

  it('puts the same names from several requests at once, each integration once', async () => {
    const integrations = integrationStore(fixture.database);
    const names = ['a', 'b', 'c'];
    const deploys = Array.from({ length: 6 }, (_, at) =>
      integrations.putAll(
        'p5',
        (at % 2 ? names : names.toReversed()).map((name) => integration('p5', name)),
      ),
    );
    await Promise.all(deploys);
    expect((await listed(integrations, 'p5')).map(({ name }) => name).sort()).toEqual(names);
    expect(await fixture.database('revisions').where({ project_id: 'p5' })).toHaveLength(3);
  });
});
