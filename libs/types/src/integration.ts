import type { Issue } from '@sluice/errors';
import { choice, closedObject, momentText, openObject, text, type Described } from './json-schema';
import { manifestIntegrationSchema, type ManifestIntegration, checkManifestIntegration } from './manifest';
import { bodyIssue } from './problem';

/** An integration of a project, with its newest revision. Source: published API, integrations. */
export interface Integration {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly provider: string;
  readonly latestRevision: Revision;
  readonly createTime: string;
  readonly updateTime?: string;
}

/** One immutable state of an integration. `content` is one integration, not a whole manifest. */
export interface Revision {
  readonly id: string;
  readonly specVersion: string;
  readonly content: ManifestIntegration;
  readonly createTime: string;
  /** Who deployed it. Absent for one of before 0.4.0, and for bearer tokens. */
  readonly createdBy?: string;
  /** What the key or the person that did is called, while it is known. */
  readonly createdByLabel?: string;
}

const specVersion = choice('Version of the manifest format.', ['1.0.0']);

export const revisionSchema = openObject(
  'One state of an integration.',
  ['id', 'specVersion', 'content', 'createTime'],
  {
    id: text('Revision id.'),
    specVersion,
    content: manifestIntegrationSchema,
    createTime: momentText('When it was deployed.'),
    createdBy: text('Who deployed it: builder:<id of a key or a person>. Not shown to bearer tokens.'),
    createdByLabel: text('Label of the key that did, while there is one.'),
  },
);

export const integrationSchema = openObject(
  'An integration of a project.',
  ['id', 'projectId', 'name', 'provider', 'latestRevision', 'createTime'],
  {
    id: text('Integration id.'),
    projectId: text('Project of the integration.'),
    name: text('Name, unique in the project.'),
    provider: text('The SaaS provider.'),
    latestRevision: revisionSchema,
    createTime: momentText('When it was created.'),
    updateTime: momentText('When it was last changed.'),
  },
);

export const createIntegrationRequestSchema = closedObject(
  'A new integration.',
  ['name', 'provider', 'latestRevision'],
  {
    name: manifestIntegrationSchema.properties.name,
    provider: manifestIntegrationSchema.properties.provider,
    latestRevision: closedObject('Its first revision.', ['specVersion', 'content'], {
      specVersion,
      content: manifestIntegrationSchema,
    }),
  },
);
export type CreateIntegrationRequest = Described<typeof createIntegrationRequestSchema>;

/** Creates or revises an integration per entry of the manifest. */
export const deployManifestRequestSchema = {
  type: 'object',
  description: 'A manifest to deploy: exactly one member.',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    sourceYaml: {
      type: 'string',
      minLength: 1,
      description: 'Text of the manifest, YAML or JSON.',
      examples: [
        'specVersion: 1.0.0\nintegrations: [{ name: crm, provider: hubspot, write: { objects: [{ objectName: contacts }] } }]',
      ],
    },
    sourceZipUrl: {
      type: 'string',
      minLength: 1,
      description: 'gs://<bucket>/<path> of a zip that was put to the address of GET /v1/generate-upload-url.',
    },
  },
} as const;
export type DeployManifestRequest = Described<typeof deployManifestRequestSchema>;

/** Schema of the reply with the address. Source: published API, `SignedUrl`. */
export const signedUrlSchema = openObject(
  'Where one zip with a manifest may be put. Deploy it as sourceZipUrl: gs://<bucket>/<path>.',
  ['url', 'bucket', 'path'],
  {
    url: text('Accepts one PUT of the zip, without a key. Secret: whoever has it may upload.'),
    bucket: text('The same for every upload.', 'sluice-uploads'),
    path: text('Name of the zip in the bucket. Not secret.', '01a1fb19-d20c-7689-a391-719613643c10/manifest.zip'),
  },
);
export type SignedUrl = Described<typeof signedUrlSchema>;

/** Rules of a create-integration body: name and provider occur twice and must agree; then those of the manifest. */
export function checkCreateIntegrationRequest(body: CreateIntegrationRequest): Issue[] {
  const { content } = body.latestRevision;
  const path = 'latestRevision.content';
  const issues = (['name', 'provider'] as const)
    .filter((member) => content[member] !== body[member])
    .map((member) =>
      bodyIssue(`${path}.${member}`, `must be ${body[member]}, the ${member} of the integration`, content[member]),
    );
  return [...issues, ...checkManifestIntegration(content, path)];
}
