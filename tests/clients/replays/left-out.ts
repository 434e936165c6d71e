import { problem, type Replay } from '../replay';

const P = '/projects/{projectIdOrName}';
const I = `${P}/integrations/{integrationId}`;
const platform = { client: 'sdk-node-platform', base: 'baseUrl' } as const;
const api = { client: 'published API', base: 'baseUrl' } as const;
const absent = { status: 404, reply: problem } as const;

const reads = 'nothing reads on a schedule here';

/** What is not answered as published, each with its reason, and what is answered. */
export const leftOut: readonly Replay[] = [
  {
    ...api,
    call: 'customAuthConnect',
    request: 'POST /custom-auth/connect',
    body: ({ projectIdOrName, groupRef }) => ({
      projectIdOrName,
      groupRef,
      consumerRef: 'anna',
      provider: 'hubspot',
      customAuth: {},
    }),
    ...absent,
    notDone: 'no provider here has a custom scheme',
  },
  {
    ...api,
    call: 'upsertMetadata',
    request: `PUT ${I}/object-metadata`,
    body: ({ groupRef }) => ({ groupRef, fields: {} }),
    ...absent,
    notDone: 'object metadata is read, not written',
  },
  {
    ...api,
    call: 'upsertMetadataForConnection',
    request: `PUT ${P}/providers/{provider}/object-metadata`,
    body: ({ groupRef }) => ({ groupRef, fields: {} }),
    ...absent,
    notDone: 'object metadata is read, not written',
  },
  {
    ...api,
    call: 'getBackfillProgress',
    request: `GET ${I}/installations/{installationId}/objects/{objectName}/backfill-progress`,
    ...absent,
    notDone: `${reads}: 404 is also what is published for an object without a backfill`,
  },
  {
    ...platform,
    call: 'installation.pauseReads',
    request: `POST ${I}/installations/{installationId}:pause`,
    status: 405,
    reply: problem,
    notDone: reads,
  },
  {
    ...platform,
    call: 'installation.unpauseReads',
    request: `POST ${I}/installations/{installationId}:unpause`,
    status: 405,
    reply: problem,
    notDone: reads,
  },
  {
    ...platform,
    call: 'destinations.list',
    request: `GET ${P}/destinations`,
    ...absent,
    notDone: 'the names of destinations are kept; nothing is delivered to them',
  },
  {
    ...platform,
    call: 'org.builders.list',
    request: 'GET /orgs/org/builders',
    ...absent,
    notDone: 'there are no organisations and no builders here, only projects and keys',
  },
];
