import type { Connection } from '@sluice/types';
import { type Column, print, renderFields, renderTable, shortTime } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';

interface ListOptions extends GivenOptions {
  readonly group?: string;
  readonly provider?: string;
}

const columns: readonly Column<Connection>[] = [
  ['GROUP', ({ group }) => group.groupRef],
  ['PROVIDER', ({ provider }) => provider],
  ['WORKSPACE', ({ providerWorkspaceRef }) => providerWorkspaceRef ?? '-'],
  ['STATUS', ({ status }) => status],
  ['SCHEME', ({ authScheme }) => authScheme],
  ['CREATED', ({ createTime }) => shortTime(createTime)],
  ['ID', ({ id }) => id],
];

/** `sluice connections list`. */
export async function list(_args: readonly string[], options: ListOptions): Promise<void> {
  const { management } = await connect(options);
  const { group, provider } = options;
  const filter = { ...(group !== undefined && { groupRef: group }), ...(provider !== undefined && { provider }) };
  const connections = await management.listConnections(filter);
  print(options, connections, () => renderTable(connections, columns, 'No connections.'));
}

/** `sluice connections describe <id>`. Never asks for credentials. */
export async function describe([connectionId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const connection = await management.getConnection({ connectionId });
  const { group, consumer, providerApp } = connection;
  print(options, connection, () =>
    renderFields([
      ['connection', connection.id],
      ['provider', connection.provider],
      ['workspace', connection.providerWorkspaceRef],
      ['status', connection.status],
      ['scheme', connection.authScheme],
      ['provider app', providerApp?.id],
      ['group', `${group.groupRef} (${group.groupName})`],
      ['consumer', `${consumer.consumerRef} (${consumer.consumerName})`],
      ['created', shortTime(connection.createTime)],
      ['updated', connection.updateTime === undefined ? undefined : shortTime(connection.updateTime)],
    ]),
  );
}

/** `sluice connections reconnect <id>`: the customer allows the app in again, and what waits is written. */
export async function reconnect([connectionId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const url = await management.updateOAuthConnection({ connectionId });
  if (options.json !== true) process.stderr.write('For the browser of the customer, within ten minutes, once:\n');
  print(options, { url }, () => url);
}
