import { authSchemes } from './connection';
import type { FailureClass } from '@sluice/errors';
import { choice, count, listOf, momentText, openObject, text, type Described } from './json-schema';
import { pageOf, type ListReply } from './operation';

/** A count of calls stops here. Our choice: more is as alarming as this, and counting costs by the call. */
export const laneCallsMax = 1_000;

export const heldConnectionSchema = openObject(
  'A connection that the provider refuses; its writes wait for new credentials.',
  ['connectionId', 'provider', 'groupRef', 'authScheme', 'since'],
  {
    connectionId: text('Connection id.'),
    provider: text('Provider of the account.'),
    groupRef: text('Group of the connection.'),
    groupName: text('Its name; in lists of lanes.'),
    // What new credentials are: a customer who connects again, or a key that is sent.
    authScheme: choice('How it authenticates.', authSchemes),
    // That is when it was refused, unless its metadata was changed after that.
    since: momentText('When the connection last changed: when it was refused.'),
    installationId: text('An installation that uses it; absent: none does.'),
    // A batch that collects has no deadline yet.
    firstExpireTime: momentText('When the first of the writes that wait ends as failed; of the first 200 to be sent.'),
  },
);
export type HeldConnection = Described<typeof heldConnectionSchema>;

export const lastFailureSchema = openObject(
  'How the provider last failed a call that is tried again.',
  ['class', 'time'],
  {
    class: text('Coarse class of the failure.'),
    status: count("The provider's status; absent: there was no reply."),
    time: momentText('When.'),
  },
);
export type LastFailure = Described<typeof lastFailureSchema> & { readonly class: FailureClass };

const callCount = (description: string) =>
  ({ type: 'integer', minimum: 0, maximum: laneCallsMax, description }) as const;

const quota = openObject('The burst limit of the account.', ['limit', 'windowSeconds'], {
  // Over all processes.
  limit: count('Calls in any window.'),
  windowSeconds: { type: 'number', minimum: 0, description: 'Length of the window.' },
  // The last fifth is for synchronous calls. It is not known for want of Redis.
  left: count('Calls left in the window that ends now; absent: not known.'),
});

const calls = openObject(
  `Calls that have not ended; ${laneCallsMax} means that many or more.`,
  ['running', 'ready', 'retrying', 'inDoubt', 'waiting'],
  {
    // Asynchronous ones.
    running: callCount('Being sent.'),
    ready: callCount('May be sent now.'),
    retrying: callCount('Wait for the moment of their next attempt.'),
    inDoubt: callCount('Sent; their outcome is being looked up.'),
    waiting: callCount('Wait for an earlier write to the same record.'),
  },
);
export type LaneCalls = Described<typeof calls>;

export const laneSchema = openObject(
  'The queue of one provider account.',
  ['id', 'projectId', 'provider', 'groupRefs', 'calls', 'createTime'],
  {
    id: text('Lane id.'),
    projectId: text('Project of the lane.'),
    provider: text('Provider of the account.'),
    // Absent: it names none, and the lane is that of one connection.
    workspaceRef: text('The account, as the provider names it.'),
    // In the order of their names.
    groupRefs: listOf('Groups that use the account; at most 20.', { type: 'string' }),
    groupNames: listOf('Their names, in the same order.', { type: 'string' }),
    // In the future; absent when the account is not blocked. The refusal is kept after the block is over.
    blockedUntil: momentText('Nothing is sent before then.'),
    lastError: text("The provider's last refusal."),
    // Absent when the account is well: the executor's own limit holds.
    callsAtOnceMax: { type: 'integer', minimum: 1, description: 'Calls at once while the account recovers.' },
    // What replies stated for this account, else what is declared for the provider. Absent where this service does not know the provider any more.
    quota,
    calls,
    // Absent: none may, or the provider refuses the credentials of all that wait.
    readySince: momentText('Since when the first call that may be sent now could have been.'),
    held: listOf('Connections that the provider refuses and whose calls wait; at most 20.', heldConnectionSchema),
    // Absent: no call waits for its next attempt.
    lastFailure: lastFailureSchema,
    createTime: momentText('When its account was first connected.'),
  },
);

/** Our addition to the published API; see rulings. */
export type Lane = Described<typeof laneSchema> & { readonly lastFailure?: LastFailure };
export type LaneListReply = ListReply<Lane>;

export const laneListReplySchema = pageOf('A page of lanes, oldest first.', 'The lanes.', laneSchema);
