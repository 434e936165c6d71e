import { authSchemes, type AuthScheme } from './connection';
import type { FailureClass } from '@sluice/errors';
import { choice, count, listOf, momentText, openObject, text, type Described } from './json-schema';
import { pageOf, type ListReply } from './operation';

/** The queue of one provider account: what waits, and what delays it. Our addition to the published API; see rulings. */
export interface Lane {
  readonly id: string;
  readonly projectId: string;
  readonly provider: string;
  /** The account as the provider itself named it. Absent: it names none, and the lane is that of one connection. */
  readonly workspaceRef?: string;
  /** Groups whose connections lead to the account, in the order of their names; at most 20 of them. */
  readonly groupRefs: readonly string[];
  /** In the future: the provider refused a call, and nothing of the lane is sent before then. Absent when it is not blocked. */
  readonly blockedUntil?: string;
  /** The provider's last refusal. Kept after the block is over. */
  readonly lastError?: string;
  /** Calls at once while the account recovers. Absent when it is well: the executor's own limit holds. */
  readonly callsAtOnceMax?: number;
  /**
   * The burst limit that calls are counted by: what replies stated for this account, else what is declared for the provider.
   * Absent where the provider is not known to this service any more.
   */
  readonly quota?: Described<typeof quota>;
  readonly calls: LaneCalls;
  /** Since when the first call that may be sent now could have been. Absent: none may, or the provider refuses the credentials of all that wait. */
  readonly readySince?: string;
  /** Connections whose calls wait for new credentials, because the provider refuses theirs; at most 20. Absent: none. */
  readonly held?: readonly HeldConnection[];
  /** How the provider last failed a call that waits for its next attempt. Absent: no call waits for one. */
  readonly lastFailure?: LastFailure;
  readonly createTime: string;
}

/** A connection that the provider refuses: nothing of it is sent before it has new credentials. */
export interface HeldConnection {
  readonly connectionId: string;
  readonly provider: string;
  readonly groupRef: string;
  /** What new credentials are: a customer who connects again, or a key that is sent. */
  readonly authScheme: AuthScheme;
  /** When the connection last changed, which is when it was refused unless its metadata was changed after that. */
  readonly since: string;
}

/** The end of an attempt after which the call waits for its next one. */
export interface LastFailure {
  readonly class: FailureClass;
  /** The provider's. Absent: there was no reply. */
  readonly status?: number;
  readonly time: string;
}

export type LaneListReply = ListReply<Lane>;

/** A count of calls stops here. Our choice: more is as alarming as this, and counting costs by the call. */
export const laneCallsMax = 1_000;

export const heldConnectionSchema = openObject(
  'A connection that the provider refuses; its writes wait for new credentials.',
  ['connectionId', 'provider', 'groupRef', 'authScheme', 'since'],
  {
    connectionId: text('Connection id.'),
    provider: text('Provider of the account.'),
    groupRef: text('Group of the connection.'),
    authScheme: choice('How it authenticates.', authSchemes),
    since: momentText('When the connection last changed: when it was refused.'),
  },
);

export const lastFailureSchema = openObject(
  'How the provider last failed a call that is tried again.',
  ['class', 'time'],
  {
    class: text('Coarse class of the failure.'),
    status: count("The provider's status; absent: there was no reply."),
    time: momentText('When.'),
  },
);

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
    workspaceRef: text('The account, as the provider names it.'),
    groupRefs: listOf('Groups that use the account; at most 20.', { type: 'string' }),
    blockedUntil: momentText('Nothing is sent before then.'),
    lastError: text("The provider's last refusal."),
    callsAtOnceMax: { type: 'integer', minimum: 1, description: 'Calls at once while the account recovers.' },
    quota,
    calls,
    readySince: momentText('Since when the first call that may be sent now could have been.'),
    held: listOf('Connections that the provider refuses and whose calls wait; at most 20.', heldConnectionSchema),
    lastFailure: lastFailureSchema,
    createTime: momentText('When its account was first connected.'),
  },
);

export const laneListReplySchema = pageOf('A page of lanes, oldest first.', 'The lanes.', laneSchema);
