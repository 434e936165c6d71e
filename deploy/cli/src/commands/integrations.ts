import type { Integration } from '@sluice/types';
import type { GivenOptions } from '../command';
import { print, shortTime } from '../output/print';
import { renderFields, renderTable, type Column } from '../output/table';
import { connect } from '../profiles/connect';

const columns: readonly Column<Integration>[] = [
  ['NAME', ({ name }) => name],
  ['PROVIDER', ({ provider }) => provider],
  ['READS', (integration) => objectsOf(integration, 'read')],
  ['WRITES', (integration) => objectsOf(integration, 'write')],
  ['UPDATED', ({ updateTime, createTime }) => shortTime(updateTime ?? createTime)],
  ['ID', ({ id }) => id],
];

/** `sluice integrations list`. */
export async function list(_args: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const integrations = await management.listIntegrations();
  print(options, integrations, () =>
    renderTable(integrations, columns, 'No integrations. Deploy some: sluice deploy <file>'),
  );
}

/** `sluice integrations describe <idOrName>`. */
export async function describe([integrationId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const integration = await management.getIntegration({ integrationId });
  const { id, name, provider, latestRevision, createTime, updateTime } = integration;
  print(options, integration, () =>
    renderFields([
      ['integration', name],
      ['id', id],
      ['provider', provider],
      ['display name', latestRevision.content.displayName],
      ['reads', objectsOf(integration, 'read')],
      ['writes', objectsOf(integration, 'write')],
      ['revision', latestRevision.id],
      ['created', shortTime(createTime)],
      ['updated', updateTime === undefined ? undefined : shortTime(updateTime)],
    ]),
  );
}

function objectsOf({ latestRevision }: Integration, action: 'read' | 'write'): string {
  const objects = latestRevision.content[action]?.objects ?? [];
  return objects.length === 0 ? '-' : objects.map(({ objectName }) => objectName).join(', ');
}
