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

export const projectSchema = openObject("A builder's space.", ['id', 'name', 'appName', 'orgId', 'createTime'], {
  id: text('Project id.'),
  name: nameSchema,
  appName,
  orgId,
  createTime: momentText('When it was created.'),
  updateTime: momentText('When it was last changed.'),
  dropUnmappedFields,
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
      enum: ['appName', 'name', 'dropUnmappedFields'],
    }),
    project: closedObject('The new values.', { appName, name: nameSchema, dropUnmappedFields }),
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
  return [...missing, ...checkName(project.name, 'project.name')];
}

/** Spec is silent; we chose that a name must not look like an id, because both are used in the same segment of a path. */
function checkName(name: string | undefined, path: string): Issue[] {
  return name !== undefined && looksLikeId.test(name) ? [bodyIssue(path, 'must not have the form of an id', name)] : [];
}
