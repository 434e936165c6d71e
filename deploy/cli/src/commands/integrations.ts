import type { Installation, Integration } from '@sluice/types';
import { CommandFailure } from '../failure';
import { type Column, counted, plain, print, renderFields, renderTable, shortTime } from '../output/print';
import { askName } from '../profiles/ask';
import { connect, type GivenOptions } from '../profiles/connect';

interface RemoveOptions extends GivenOptions {
  readonly dryRun?: boolean;
  readonly yes?: string;
}

/** What goes with an integration. */
interface Deletion {
  readonly integration: Pick<Integration, 'id' | 'name' | 'provider'>;
  readonly installations: readonly { readonly id: string; readonly groupRef: string; readonly connectionId: string }[];
  /** Their connections that no other integration uses, with the credentials. */
  readonly connections: readonly string[];
}

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

/** `sluice integrations delete <idOrName>`. What goes is shown on standard error, beside the question. */
export async function remove([id = '']: readonly string[], options: RemoveOptions): Promise<void> {
  const { management } = await connect(options);
  const { id: integrationId, name, provider } = await management.getIntegration({ integrationId: id });
  const all = await management.listInstallationsForProject();
  const deletion = deletionOf({ id: integrationId, name, provider }, all);
  if (options.dryRun === true) {
    print(options, { ...deletion, deleted: false }, () => `${renderDeletion(deletion)}\n\nNothing was deleted.`);
    return;
  }
  process.stderr.write(`${renderDeletion(deletion)}\n`);
  const typed = options.yes ?? (await askName(name));
  if (typed !== name) {
    throw new CommandFailure(`"${typed}" is not the name of the integration, ${name}. Nothing was deleted.`);
  }
  await management.deleteIntegration({ integrationId });
  print(options, { ...deletion, deleted: true }, () => `The integration ${name} is deleted.`);
}

function deletionOf(integration: Deletion['integration'], all: readonly Installation[]): Deletion {
  const own = all.filter(({ integrationId }) => integrationId === integration.id);
  const others = all.filter(({ integrationId }) => integrationId !== integration.id);
  const usedElsewhere = new Set(others.map(({ connection }) => connection.id));
  const connections = new Set(own.map(({ connection }) => connection.id).filter((id) => !usedElsewhere.has(id)));
  return {
    integration,
    installations: own.map(({ id, group, connection }) => ({
      id,
      groupRef: group?.groupRef ?? '-',
      connectionId: connection.id,
    })),
    connections: [...connections],
  };
}

function renderDeletion({ integration, installations, connections }: Deletion): string {
  const going = new Set(connections);
  const table = renderTable(
    installations,
    [
      ['GROUP', ({ groupRef }) => groupRef],
      ['INSTALLATION', ({ id }) => id],
      ['CONNECTION', ({ connectionId }) => connectionId],
      ['', ({ connectionId }) => (going.has(connectionId) ? '' : 'stays: another integration uses it')],
    ],
    'Nobody has it installed.',
  );
  const { name, provider, id } = integration;
  const counts = `${counted(installations.length, 'installation')} and ${counted(connections.length, 'connection')}`;
  return `${table}\n\nTo be deleted: the integration ${plain(name)} (${provider}, ${id}), ${counts} with credentials. What waits to be written fails.`;
}

function objectsOf({ latestRevision }: Integration, action: 'read' | 'write'): string {
  const objects = latestRevision.content[action]?.objects ?? [];
  return objects.length === 0 ? '-' : objects.map(({ objectName }) => objectName).join(', ');
}
