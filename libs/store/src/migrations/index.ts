import type { Migration } from '../migration';
import { baseline } from './20261128T120000-baseline-of-0.3.0';
import { peopleAndSessions } from './20261129T000000-people-and-sessions';
import { accountIds } from './20261129T060000-account-ids';
import { leaveQueue } from './20261129T120000-leave-queue';
import { apiKeyUses, jwtKeyUses, revisionAuthors } from './20261129T213000-key-uses-and-authors';
import { recordProblems, shownProblems } from './20261129T200000-record-problems';
import { connectionsByLane } from './20261129T210000-connections-by-lane';
import { groupLists, installationsOfGroups, refusedConnections } from './20261129T220000-group-lists';
import { namesOfPeople } from './20261130T030000-names-of-people';
import { unhealthyInstallations, webhookKinds } from './20261130T060000-alerts-to-people';
import {
  authorizationsOfConnectSessions,
  connectSessions,
  lookOfConnectPages,
} from './20261130T072000-connect-sessions';
import { replayedOperations } from './20261130T090000-replayed-operations';
import { endsOfConnectSessions } from './20261201T043000-ends-of-connect-sessions';

export { baseline };

/** The schema's history since version 0.3.0, oldest first. */
export const migrations: readonly Migration[] = [
  baseline,
  peopleAndSessions,
  accountIds,
  leaveQueue,
  recordProblems,
  shownProblems,
  connectionsByLane,
  apiKeyUses,
  jwtKeyUses,
  revisionAuthors,
  groupLists,
  installationsOfGroups,
  refusedConnections,
  namesOfPeople,
  unhealthyInstallations,
  webhookKinds,
  connectSessions,
  authorizationsOfConnectSessions,
  lookOfConnectPages,
  replayedOperations,
  endsOfConnectSessions,
];
