import type { Connection } from '@sluice/types';
import { asking, id, ofGroup, option, type Group } from '../command';
import { beside, type Column, fields, table } from '../output/print';
import { given } from '../read-options';

const account: readonly Column<Connection>[] = [
  'provider',
  ['workspace', 'providerWorkspaceRef'],
  'status',
  ['scheme', 'authScheme'],
];

/** `sluice connections`. */
export const connections: Group = {
  about: 'list, describe and renew connections',
  commands: {
    list: asking({
      about: 'list the connections',
      takes: [ofGroup, option('--provider <name>', 'only of this provider')],
      ask: ({ management }, { group, provider }: { readonly group?: string; readonly provider?: string }) =>
        management.listConnections(given({ groupRef: group, provider })),
      show: table<Connection>('No connections.', [
        ['group', ({ group }) => group.groupRef],
        ...account,
        'createTime',
        'id',
      ]),
    }),
    describe: asking({
      about: 'show one connection',
      takes: [id],
      ask: ({ management }, _options, connectionId) => management.getConnection({ connectionId }),
      show: fields<Connection>([
        ['connection', 'id'],
        ...account,
        ['provider app', ({ providerApp }) => providerApp?.id],
        ['group', ({ group }) => `${group.groupRef} (${group.groupName})`],
        ['consumer', ({ consumer }) => `${consumer.consumerRef} (${consumer.consumerName})`],
        'createTime',
        'updateTime',
      ]),
    }),
    reconnect: asking({
      about: "print the address where the customer's browser gives a connection new credentials",
      takes: [id],
      ask: async ({ management }, _options, connectionId) => ({
        url: await management.updateOAuthConnection({ connectionId }),
      }),
      show: forCustomer,
    }),
  },
};

/** The address alone is what a script keeps. */
export function forCustomer({ url }: { readonly url: string }): string {
  return beside('For the browser of the customer, within ten minutes, once:', url);
}
