import { authSchemes, connectionStatuses } from './connection';
import { healthStatuses } from './installation';
import { installationHealthSchema } from './installation-health';
import { choice, count, flag, listOf, momentText, openObject, text, type Described } from './json-schema';
import { paginationSchema } from './operation';

/** What groups can be narrowed to. Our addition to the published API; see rulings. */
export const groupStates = ['unhealthy', 'bad_credentials', 'not_installed'] as const;
export type GroupState = (typeof groupStates)[number];

/** Groups of a page, and of one without `pageSize`. Our choice: a screen, and what a reader compares at once. */
export const groupsOfPageMax = 100;
export const groupsOfPageDefault = 25;

/** Installations, and unused connections, that are shown of one group. Our choice: above what a group has. */
export const itemsOfGroupMax = 10;

/** Newest failed operations among which unhealthy installations are looked for. Our choice: reading them costs some ms. */
export const failuresOfProjectMax = 2_000;

/** Groups with refused credentials that are read, and groups that are counted. Our choice: neither grows with a project. */
export const refusedGroupsMax = 1_000;
export const countedGroupsMax = 10_000;

/** Newest connections among which those without an installation are looked for. Our choice: what is older is no news. */
export const newestConnectionsMax = 2_000;

/**
 * Groups that a page reads of each part of the list, and installations of an integration that it orders itself. Measured with 100,000 groups: a page took
 * 66 to 105 ms of a core at the bound, and 59 to 102 without an integration (Postgres 18, 2026-11-30).
 */
export const groupsReadMax = 5_000;

/** Longest token of a page: it holds a name and a ref, as base64 of JSON. */
export const groupTokenCharactersMax = 8_192;

const unusedConnectionSchema = openObject(
  'A connection that no installation uses.',
  ['id', 'provider', 'authScheme', 'status', 'consumerRef', 'createTime', 'since'],
  {
    id: text('Connection id.'),
    provider: text('The SaaS provider.'),
    authScheme: choice('How it authenticates.', authSchemes),
    status: choice('Whether its credentials work.', connectionStatuses),
    consumerRef: text('Who connected it.'),
    workspaceRef: text("The provider's workspace."),
    createTime: momentText('When it was connected.'),
    since: momentText('When the connection last changed.'),
  },
);
export type UnusedConnection = Described<typeof unusedConnectionSchema>;

export const groupHealthSchema = openObject(
  'A group with what it has installed and connected.',
  ['groupRef', 'groupName', 'healthStatus', 'createTime', 'installations', 'unusedConnections'],
  {
    groupRef: text("The id that the builder's application uses."),
    groupName: text('Name of the group.'),
    healthStatus: choice('Unhealthy when one of its installations is.', healthStatuses),
    createTime: momentText('When it was created.'),
    installations: listOf('Its oldest 10, unhealthy ones first.', installationHealthSchema),
    hasMoreInstallations: flag('It has more than are shown.'),
    unusedConnections: listOf('Its newest 10 that no installation uses.', unusedConnectionSchema),
  },
);
export type GroupHealth = Described<typeof groupHealthSchema>;

const counted = (description: string) =>
  openObject(description, ['count'], {
    count: count('How many.'),
    // Counting ended there.
    isAtLeast: flag('There may be more.'),
  });

export const groupCountsSchema = openObject(
  'Groups of the project, whatever the query asks for.',
  ['groups', 'unhealthy', 'badCredentials', 'notInstalled'],
  {
    groups: counted('All.'),
    unhealthy: counted('With an unhealthy installation.'),
    badCredentials: counted('With an installation whose connection the provider refuses.'),
    notInstalled: counted('With a connection that no installation uses.'),
  },
);
export type GroupCounts = Described<typeof groupCountsSchema>;

export const groupHealthListReplySchema = openObject(
  'A page of groups: unhealthy ones first, then by name.',
  ['results', 'pagination', 'counts'],
  { results: listOf('The groups.', groupHealthSchema), pagination: paginationSchema, counts: groupCountsSchema },
);
export type GroupHealthListReply = Described<typeof groupHealthListReplySchema>;
