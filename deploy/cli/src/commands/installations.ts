import type { Installation } from '@sluice/types';
import { asking, id, ofGroup, option, type Group } from '../command';
import { CommandFailure } from '../failure';
import { type Column, fields, shortTime, table } from '../output/print';
import { given } from '../read-options';

const health: readonly Column<Installation>[] = [
  ['health', 'healthStatus'],
  ['last operation', 'lastOperationStatus'],
];

interface ListOptions {
  readonly group?: string;
  readonly integration?: string;
}

/** `sluice installations`. */
export const installations: Group = {
  about: 'list and describe installations',
  commands: {
    list: asking({
      about: 'list the installations',
      takes: [ofGroup, option('--integration <idOrName>', 'only of this integration')],
      ask: ({ management }, { group, integration: integrationId }: ListOptions) => {
        const filter = given({ groupRef: group });
        return integrationId === undefined
          ? management.listInstallationsForProject(filter)
          : management.listInstallations({ integrationId, ...filter });
      },
      show: table<Installation>('No installations.', [
        ['group', ({ group }) => group?.groupRef],
        ['provider', ({ connection }) => connection.provider],
        ...health,
        ['connection', ({ connection }) => connection.status],
        'createTime',
        'id',
      ]),
    }),
    describe: asking({
      about: 'show one installation',
      takes: [id],
      // The id is enough: ids are unique in a project.
      ask: async ({ management }, _options, installationId) => {
        const found = (await management.listInstallationsForProject()).find((each) => each.id === installationId);
        if (found !== undefined) return found;
        throw new CommandFailure(
          `There is no installation "${installationId}" in this project. See: sluice installations`,
        );
      },
      show: fields<Installation>([
        ['installation', 'id'],
        ['group', ({ group }) => group && `${group.groupRef} (${group.groupName})`],
        ['integration', 'integrationId'],
        ...health,
        ['connection', ({ connection }) => `${connection.id} (${connection.provider}, ${connection.status})`],
        ['config', ({ config }) => `${config.id} by ${config.createdBy}`],
        ['reads', ({ config }) => Object.keys(config.content.read?.objects ?? {}).join(', ') || '-'],
        ['writes', ({ config }) => Object.keys(config.content.write?.objects ?? {}).join(', ') || '-'],
        ['created', ({ createTime, createdBy }) => `${shortTime(createTime)} by ${createdBy}`],
        'updateTime',
      ]),
    }),
  },
};
