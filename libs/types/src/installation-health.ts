import { authSchemes, connectionStatuses } from './connection';
import { healthStatuses } from './installation';
import { choice, count, flag, momentText, openObject, text, type Described } from './json-schema';
import { pageOf, type ListReply } from './operation';

/** Records of an installation are counted in at most this many of its connection's calls. Our choice: counting costs by the call. */
export const waitingCallsMax = 1_000;

/** Calls that a page reads to count them, shared evenly by its installations. Our choice: up to 100 of a page have `waitingCallsMax` each. */
export const waitingCallsOfPageMax = 100_000;

/** Newest operations that are added up for the last day: of one installation, or shared evenly by those of a page of groups. Our choice: they are read in some ms. */
export const operationsOfDayMax = 5_000;

/** Schema of the resource in replies, without the installation's config. Our addition to the published API; see rulings. */
export const installationHealthSchema = openObject(
  'How the writes of one installation are doing.',
  [
    'id',
    'integrationId',
    'integrationName',
    'provider',
    'groupRef',
    'healthStatus',
    'connection',
    'waiting',
    'createTime',
  ],
  {
    id: text('Installation id.'),
    integrationId: text('The installed integration.'),
    integrationName: text('Its name.'),
    provider: text('The SaaS provider.'),
    groupRef: text('Group that has installed it.'),
    groupName: text('Shown name of the group.'),
    healthStatus: choice('Whether it works.', healthStatuses),
    lastOperationStatus: choice('Status of its latest operation.', ['success', 'failure', 'in_progress']),
    connection: openObject('The connection that it uses.', ['id', 'authScheme', 'status', 'consumerRef', 'since'], {
      id: text('Connection id.'),
      authScheme: choice('How it authenticates.', authSchemes),
      status: choice('Whether its credentials work.', connectionStatuses),
      consumerRef: text('Who connected it.'),
      workspaceRef: text("The provider's workspace."),
      // Of `bad_credentials` when it was refused, unless its metadata was changed after that.
      since: momentText('When the connection last changed.'),
    }),
    waiting: openObject('Records that were accepted and are not sent yet.', ['records'], {
      records: count('Records, those of open auto-batches included.'),
      // So many calls of the connection wait that not all were read.
      isAtLeast: flag('There may be more.'),
      // Absent: nothing has a deadline yet. An auto-batch that collects has none.
      firstExpireTime: momentText('When the first that was counted ends as failed.'),
    }),
    lastError: openObject(
      'The newest failure of its latest 20 operations and of the waiting calls of its connection.',
      ['time', 'message', 'operationId'],
      {
        time: momentText('When.'),
        message: text('The error.'),
        // Absent: it is the end of the operation.
        class: text('Coarse class of the failure of a call.'),
        operationId: text('Operation that met it.'),
      },
    ),
    lastDay: openObject(
      'Records of its operations of the last 24 hours that ended. Where one installation is asked for, and in a list of groups.',
      ['succeeded', 'failed'],
      {
        succeeded: count('Written.'),
        failed: count('Not written.'),
        // More operations than are read.
        isAtLeast: flag('There may be more.'),
      },
    ),
    createTime: momentText('When it was installed.'),
  },
);

export const installationHealthListReplySchema = pageOf(
  'A page of installations with their health, oldest first.',
  'The installations.',
  installationHealthSchema,
);

export type InstallationHealth = Described<typeof installationHealthSchema>;
/** Those of a connection of `bad_credentials` are held for new credentials. */
export type WaitingRecords = InstallationHealth['waiting'];
export type InstallationError = NonNullable<InstallationHealth['lastError']>;
export type InstallationHealthListReply = ListReply<InstallationHealth>;
