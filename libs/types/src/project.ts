import type { Issue } from '@sluice/errors';
import { closedObject, listOf, momentText, nameText, openObject, text, type Described } from './json-schema';
import { bodyIssue } from './problem';

/** A builder's space: its integrations, customers and keys. Source: published API, projects. */
export interface Project {
  readonly id: string;
  /** Unique, lower case; may replace the id in paths. */
  readonly name: string;
  readonly appName: string;
  /** Stored only. */
  readonly orgId: string;
  readonly createTime: string;
  readonly updateTime?: string;
  /** Preview of the specification: fields without a mapping are dropped from writes that inherit mappings. */
  readonly dropUnmappedFields?: boolean;
  /** Where the connect page may lead back to. @default none, and loopback while management itself is on loopback */
  readonly connectOrigins?: readonly string[];
  /** Of the connect page: `#` and six hexadecimal digits. @default ours */
  readonly connectColor?: string;
  /** Only when it is asked for, and empty: nothing here is limited by a plan. Source: published API. */
  readonly entitlements?: { readonly brandingRemoval: { readonly value: true } };
}

/** The name as it is saved and looked up. */
export function projectNameOf(name: string): string {
  return name.toLowerCase();
}

const appName = {
  ...nameText,
  maxLength: 128,
  description: 'Shown name of the application.',
  examples: ['Demo'],
} as const;
const nameSchema = {
  type: 'string',
  minLength: 2,
  maxLength: 128,
  pattern: '^[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]$',
  description: 'Unique name; saved in lower case.',
  examples: ['demo'],
} as const;
const orgId = {
  ...nameText,
  maxLength: 128,
  description: 'Id of the organisation. Stored only.',
  examples: ['acme'],
} as const;
const dropUnmappedFields = {
  type: 'boolean',
  default: false,
  description: 'Preview: fields without a mapping are dropped from writes that inherit mappings.',
} as const;

const connectOrigins = {
  ...listOf('Origins that the connect page may lead back to: https, or http on loopback.', {
    type: 'string',
    minLength: 1,
    maxLength: 255,
  }),
  maxItems: 20,
  examples: [['https://app.example.com']],
} as const;
const connectColor = {
  type: 'string',
  pattern: '^(#[0-9a-fA-F]{6})?$',
  description: 'Colour of the connect page, as #rrggbb. Empty: ours.',
  examples: ['#0b5fff'],
} as const;

export const projectSchema = openObject("A builder's space.", ['id', 'name', 'appName', 'orgId', 'createTime'], {
  id: text('Project id.'),
  name: nameSchema,
  appName,
  orgId,
  createTime: momentText('When it was created.'),
  updateTime: momentText('When it was last changed.'),
  dropUnmappedFields,
  connectOrigins,
  connectColor,
  entitlements: openObject('Shown when it is asked for. Nothing is limited by a plan.', ['brandingRemoval'], {
    brandingRemoval: openObject('The published browser client then shows no branding.', ['value'], {
      value: { type: 'boolean', const: true, description: 'Always.' },
    }),
  }),
});

export const createProjectRequestSchema = closedObject('A new project.', ['appName', 'name'], {
  appName,
  name: nameSchema,
  orgId: { ...orgId, description: "Id of the organisation. Stored only. Left out: the project's name." },
});
export type CreateProjectRequest = Described<typeof createProjectRequestSchema>;

export const updateProjectRequestSchema = closedObject(
  'Changes of a project; only what updateMask names is used.',
  ['updateMask', 'project'],
  {
    updateMask: listOf('Names of the fields to change.', {
      type: 'string',
      enum: ['appName', 'name', 'dropUnmappedFields', 'connectOrigins', 'connectColor'],
    }),
    project: closedObject('The new values.', {
      appName,
      name: nameSchema,
      dropUnmappedFields,
      connectOrigins,
      connectColor,
    }),
  },
);
export type UpdateProjectRequest = Described<typeof updateProjectRequestSchema>;

const looksLikeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rules of a create-project body, after its schema. */
export function checkCreateProjectRequest(body: CreateProjectRequest): Issue[] {
  return checkName(body.name, 'name');
}

/** Rules of an update-project body, after its schema: a value for each masked field. */
export function checkUpdateProjectRequest({ updateMask, project }: UpdateProjectRequest): Issue[] {
  const missing = updateMask.flatMap((field, index) =>
    project[field] === undefined ? [bodyIssue(`updateMask[${index}]`, 'has no value in project', field)] : [],
  );
  return [...missing, ...checkName(project.name, 'project.name'), ...checkOrigins(project.connectOrigins)];
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether an address is on this machine. There a browser takes http for safe. Source: Secure Contexts, 3.1. */
export function isLoopback(url: URL): boolean {
  return loopback.test(url.hostname);
}

/** As a browser spells them: an origin with a path, a slash at its end or capitals would be equal to none. */
function checkOrigins(origins: readonly string[] = []): Issue[] {
  return origins.flatMap((origin, index) => {
    const url = URL.parse(origin);
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
    if (isSafe && url.origin === origin) return [];
    const detail = 'must be an origin such as https://app.example.com: https, or http on loopback, without a path';
    return [bodyIssue(`project.connectOrigins[${index}]`, detail, origin)];
  });
}

/** Spec is silent; we chose that a name must not look like an id, because both are used in the same segment of a path. */
function checkName(name: string | undefined, path: string): Issue[] {
  return name !== undefined && looksLikeId.test(name) ? [bodyIssue(path, 'must not have the form of an id', name)] : [];
}
