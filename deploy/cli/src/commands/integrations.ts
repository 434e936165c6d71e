import type { Installation, Integration } from '@sluice/types';
import { asking, idOrName, option, type Group } from '../command';
import { CommandFailure } from '../failure';
import { type Column, pluralize, fields, plain, renderTable, shortTime, table } from '../output/print';
import { askName } from '../profiles/ask';

interface RemoveOptions {
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

const objects: readonly Column<Integration>[] = [
  ['reads', ({ latestRevision }) => objectsOf(latestRevision, 'read')],
  ['writes', ({ latestRevision }) => objectsOf(latestRevision, 'write')],
];

/** `sluice integrations`. */
export const integrations: Group = {
  about: 'list, describe and delete integrations',
  commands: {
    list: asking({
      about: 'list the integrations',
      ask: ({ management }) => management.listIntegrations(),
      show: table<Integration>('No integrations. Deploy some: sluice deploy <file>', [
        'name',
        'provider',
        ...objects,
        ['updated', ({ updateTime, createTime }) => shortTime(updateTime ?? createTime)],
        'id',
      ]),
    }),
    describe: asking({
      about: 'show one integration',
      takes: [idOrName],
      ask: ({ management }, _options, integrationId) => management.getIntegration({ integrationId }),
      show: fields<Integration>([
        ['integration', 'name'],
        'id',
        'provider',
        ['display name', ({ latestRevision }) => latestRevision.content.displayName],
        ...objects,
        ['revision', ({ latestRevision }) => latestRevision.id],
        'createTime',
        'updateTime',
      ]),
    }),
    delete: asking({
      about: 'delete an integration with its installations and their connections, once its name is typed',
      takes: [
        idOrName,
        option('--dry-run', 'show what would be deleted, and delete nothing'),
        option('--yes <name>', 'the name of the integration, for use without a terminal'),
      ],
      ask: async ({ management }, { dryRun, yes }: RemoveOptions, integrationId) => {
        const { id, name, provider } = await management.getIntegration({ integrationId });
        const deletion = deletionOf({ id, name, provider }, await management.listInstallationsForProject());
        if (dryRun === true) return { ...deletion, deleted: false };
        // What goes is shown on standard error, beside the question.
        process.stderr.write(`${renderDeletion(deletion)}\n`);
        const typed = yes ?? (await askName(name));
        if (typed !== name) {
          throw new CommandFailure(`"${typed}" is not the name of the integration, ${name}. Nothing was deleted.`);
        }
        await management.deleteIntegration({ integrationId: id });
        return { ...deletion, deleted: true };
      },
      show: ({ deleted, ...deletion }) =>
        deleted
          ? `The integration ${deletion.integration.name} is deleted.`
          : `${renderDeletion(deletion)}\n\nNothing was deleted.`,
    }),
  },
};

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
  const shown = renderTable(
    installations,
    [
      ['group', 'groupRef'],
      ['installation', 'id'],
      ['connection', 'connectionId'],
      ['', ({ connectionId }) => (going.has(connectionId) ? '' : 'stays: another integration uses it')],
    ],
    'Nobody has it installed.',
  );
  const { name, provider, id } = integration;
  const counts = `${pluralize(installations.length, 'installation')} and ${pluralize(connections.length, 'connection')}`;
  return `${shown}\n\nTo be deleted: the integration ${plain(name)} (${provider}, ${id}), ${counts} with credentials. What waits to be written fails.`;
}

function objectsOf({ content }: Integration['latestRevision'], action: 'read' | 'write'): string {
  return content[action]?.objects?.map(({ objectName }) => objectName).join(', ') || '-';
}
