import type { Installation } from '@sluice/types';
import { CommandFailure } from '../failure';
import { type Column, print, renderFields, renderTable, shortTime } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';

interface ListOptions extends GivenOptions {
  readonly group?: string;
  readonly integration?: string;
}

const columns: readonly Column<Installation>[] = [
  ['GROUP', ({ group }) => group?.groupRef ?? '-'],
  ['PROVIDER', ({ connection }) => connection.provider],
  ['HEALTH', ({ healthStatus }) => healthStatus],
  ['LAST OPERATION', ({ lastOperationStatus }) => lastOperationStatus ?? '-'],
  ['CONNECTION', ({ connection }) => connection.status],
  ['CREATED', ({ createTime }) => shortTime(createTime)],
  ['ID', ({ id }) => id],
];

/** `sluice installations list`. */
export async function list(_args: readonly string[], options: ListOptions): Promise<void> {
  const { management } = await connect(options);
  const { group, integration: integrationId } = options;
  const filter = group === undefined ? {} : { groupRef: group };
  const installations =
    integrationId === undefined
      ? await management.listInstallationsForProject(filter)
      : await management.listInstallations({ integrationId, ...filter });
  print(options, installations, () => renderTable(installations, columns, 'No installations.'));
}

/** `sluice installations describe <id>`. The id is enough: ids are unique in a project. */
export async function describe([id = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const found = (await management.listInstallationsForProject()).find((installation) => installation.id === id);
  if (found === undefined) {
    throw new CommandFailure(`There is no installation "${id}" in this project. See: sluice installations`);
  }
  const { group, connection, config } = found;
  print(options, found, () =>
    renderFields([
      ['installation', found.id],
      ['group', group === undefined ? undefined : `${group.groupRef} (${group.groupName})`],
      ['integration', found.integrationId],
      ['health', found.healthStatus],
      ['last operation', found.lastOperationStatus],
      ['connection', `${connection.id} (${connection.provider}, ${connection.status})`],
      ['config', `${config.id} by ${config.createdBy}`],
      ['reads', Object.keys(config.content.read?.objects ?? {}).join(', ') || '-'],
      ['writes', Object.keys(config.content.write?.objects ?? {}).join(', ') || '-'],
      ['created', `${shortTime(found.createTime)} by ${found.createdBy}`],
      ['updated', found.updateTime === undefined ? undefined : shortTime(found.updateTime)],
    ]),
  );
}
