import type { ProblemCode } from '@sluice/errors';

/** What a parameter of a path or a query means, wherever it occurs. */
export interface ParameterMeaning {
  readonly description: string;
  /** A value as a caller would send it. */
  readonly example: string;
  /** What a path answers that names none. */
  readonly notFound?: ProblemCode;
}

/** An id with two digits of its own. */
const id = (number: number): string => `01a1fb19-d20c-7689-a391-719613643c${String(number).padStart(2, '0')}`;

const flag = (description: string): ParameterMeaning => ({ description, example: 'true' });
const idOf = (description: string, number: number, notFound?: ProblemCode): ParameterMeaning => ({
  description,
  example: id(number),
  notFound,
});

/** By name. A parameter has one meaning in the whole API, so a route need not repeat it. */
export const parameterMeanings: Readonly<Record<string, ParameterMeaning>> = {
  projectIdOrName: { description: 'Project id or name.', example: 'demo', notFound: 'project.not-found' },
  integrationId: { description: 'Integration id or name.', example: 'hubspot-crm', notFound: 'integration.not-found' },
  integrationIdOrName: {
    description: 'Integration id or name.',
    example: 'hubspot-crm',
    notFound: 'integration.not-found',
  },
  installationId: idOf('Installation id.', 1, 'installation.not-found'),
  configId: idOf('Config id.', 2, 'config.not-found'),
  connectionId: idOf('Connection id.', 3, 'connection.not-found'),
  operationId: idOf('Operation id, as the reply of the write gave it.', 4, 'operation.not-found'),
  revisionId: idOf('Revision id.', 5, 'revision.not-found'),
  providerAppId: idOf('Provider app id.', 6, 'provider-app.not-found'),
  keyId: idOf('Public id of the key, never the key itself.', 7),
  endpointId: idOf('Webhook endpoint id.', 8, 'webhook-endpoint.not-found'),
  messageId: idOf('Message id: the header svix-id.', 9, 'webhook-message.not-found'),
  objectName: { description: 'Object of the manifest.', example: 'contacts' },
  groupRef: { description: "The builder's id of a group of users.", example: 'demo-group' },
  consumerRef: { description: "The builder's id of a user.", example: 'ann' },
  provider: { description: 'The SaaS provider.', example: 'hubspot', notFound: 'provider.unknown' },
  active: flag('Only keys that are active, or only those that are not.'),
  dryRun: flag('true: only report what would be written.'),
  destructive: flag('true: stop reading, in every installation, the objects that the manifest removes.'),
  skipSampling: flag("true: do not check field names against the customer's account."),
  includeEntitlements: flag('true: show the entitlements.'),
  includeCreds: flag('true: show the access token and its scopes.'),
  includeRefreshToken: flag('true: show the refresh token as well; includes includeCreds.'),
  refresh: { description: 'Refresh the access token first: always, or when it has expired.', example: 'ifExpired' },
  excludeReadOnly: flag('true: leave out fields that cannot be written.'),
  waitSeconds: { description: 'Answer when the operation has ended, or after this many seconds.', example: '30' },
  ref: { description: 'Only records that were sent with this Sluice-Record-Ref.', example: 'row-17' },
  pageSize: { description: 'Most results of a page.', example: '50' },
  pageToken: { description: 'The nextPageToken of the page before.', example: 'eyJhZnRlciI6MX0' },
  status: { description: 'Only those of this status.', example: 'failure' },
  since: {
    description: 'Only what was accepted, or happened, at this moment or later.',
    example: '2026-11-20T08:00:00Z',
  },
  force: flag('true: also replay records of unknown outcome. The provider may then have them twice.'),
};

/** Values of members that mean one thing in the whole API. Those of parameters are in `parameterMeanings`. */
const memberExamples: Readonly<Record<string, string>> = {
  id: id(16),
  projectId: id(10),
  integrationId: id(11),
  laneId: id(12),
  kid: id(13),
  key: id(14),
  recordId: '171590321967',
  workspaceRef: '84559852',
  providerWorkspaceRef: '84559852',
  name: 'crm',
  integrationName: 'crm',
  displayName: 'HubSpot',
  groupName: 'Demo group',
  consumerName: 'Ann',
  fieldName: 'email',
  label: 'backend',
  clientId: '0f2c9a14-6d55-4f0b-9d0c-3a3f6a1f8f0e',
  createdBy: 'consumer:ann',
  message: 'Email address ann at example is invalid',
  url: 'https://example.com/sluice',
};

/** A value of the member or parameter, where its name has one meaning. */
export function exampleOf(name: string): string | undefined {
  return memberExamples[name] ?? parameterMeanings[name]?.example;
}
