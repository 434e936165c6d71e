import type { Issue } from '@sluice/errors';
import { closedObject, flag, mapOf, nameText } from './json-schema';
import { readObjectConfigSchema, type ReadObjectConfig, type ReadFilter } from './read-config';
import { writeObjectConfigSchema, type WriteObjectConfig } from './write-config';
import { bodyIssue } from './problem';
import { isCronSchedule } from './cron-schedule';
import { checkNames, isHostileName, jsonPathFault, pathOf } from './field-names';
import { limits } from './limits';

/** The content of an installation's config. Source: specification, Config Content. */
export interface ConfigContent {
  readonly provider: string;
  /** Object name to its configuration; the key equals `objectName`. */
  readonly read?: { readonly objects?: Readonly<Record<string, ReadObjectConfig>> };
  readonly write?: { readonly objects?: Readonly<Record<string, WriteObjectConfig>> };
  /** Stored and returned, nothing executes it. */
  readonly proxy?: { readonly enabled?: boolean };
  /** Published API only: stored and returned, nothing executes it. */
  readonly subscribe?: { readonly objects?: Readonly<Record<string, unknown>> };
}

/** Content of an update: only what its mask names is used, so nothing is required, not even the name of a read object. */
export interface UpdateConfigContent extends Partial<Omit<ConfigContent, 'read'>> {
  readonly read?: { readonly objects?: Readonly<Record<string, Partial<ReadObjectConfig>>> };
}

const members = {
  provider: { ...nameText, description: 'The SaaS API integrated with.' },
  read: closedObject('Read configuration.', {
    objects: mapOf('Object name to its read configuration.', readObjectConfigSchema),
  }),
  write: {
    ...closedObject('Write configuration.', {
      objects: mapOf('Object name to its write configuration.', writeObjectConfigSchema),
    }),
    examples: [
      {
        objects: {
          contacts: { objectName: 'contacts', selectedFieldSettings: { phone: { writeOnUpdate: 'ifEmpty' } } },
        },
      },
    ],
  },
  proxy: closedObject('Stored only.', { enabled: flag('Whether proxy calls are allowed.') }),
  subscribe: closedObject('Stored only.', {
    objects: { type: 'object', description: 'Object name to what is subscribed of it.' },
  }),
} as const;

const updateRead = {
  ...members.read,
  properties: {
    objects: {
      ...members.read.properties.objects,
      additionalProperties: {
        ...readObjectConfigSchema,
        description: 'Reading of one object. Its name may be left out: it is the key.',
        required: [],
      },
    },
  },
} as const;

/** Schema of the content in a create request, and in replies. */
export const configContentSchema = closedObject("The content of an installation's config.", ['provider'], members);

/** Schema of the content in an update request: nothing required. */
export const updateConfigContentSchema = closedObject(
  'The changes of an update; only the members that its mask names are used.',
  {
    ...members,
    read: updateRead,
  },
);

/**
 * Rules of a config's content that its schema cannot say. Call it with content the schema accepts.
 * What needs the provider or the manifest (`ifEmpty`, known objects) is checked by management.
 * @param path of the content in the body: `config.content`
 */
export function checkConfigContent(content: UpdateConfigContent, path: string): Issue[] {
  const issues = [
    ...checkNames(content, path),
    ...checkKeys(content.read?.objects, `${path}.read.objects`),
    ...checkKeys(content.write?.objects, `${path}.write.objects`),
    ...Object.entries(content.read?.objects ?? {}).flatMap(([name, object]) =>
      checkReadObject(object, pathOf(`${path}.read.objects`, name)),
    ),
  ];
  return issues.slice(0, limits.issuesMax);
}

/** With two entries for one object it would be undefined which one applies. */
function checkKeys(objects: Readonly<Record<string, { objectName?: string }>> | undefined, path: string): Issue[] {
  return Object.entries(objects ?? {})
    .filter(([name, { objectName }]) => objectName !== undefined && name !== objectName)
    .map(([name, { objectName }]) =>
      bodyIssue(`${pathOf(path, name)}.objectName`, `must be ${name}, the key of the entry`, objectName),
    );
}

function checkReadObject(object: Partial<ReadObjectConfig>, path: string): Issue[] {
  const issues = [
    ...checkMappings(object.selectedFieldMappings, `${path}.selectedFieldMappings`),
    ...checkFilters(object.fieldFilters, `${path}.fieldFilters`),
    ...checkFilters(object.backfill?.fieldFilters, `${path}.backfill.fieldFilters`),
  ];
  if (object.schedule && !isCronSchedule(object.schedule)) {
    issues.push(bodyIssue(`${path}.schedule`, 'must be cron syntax of five fields', object.schedule));
  }
  return issues;
}

/** The provider's name of a field becomes the key of a write: it obeys the rule of keys. */
function checkMappings(mappings: ReadObjectConfig['selectedFieldMappings'] = {}, path: string): Issue[] {
  return Object.entries(mappings).flatMap(([name, field]) => {
    const ofName = jsonPathFault(name);
    if (ofName !== undefined) return [bodyIssue(pathOf(path, name), ofName, name)];
    const fault = isHostileName(field) ? 'leads to a name that is not allowed' : jsonPathFault(field);
    return fault === undefined ? [] : [bodyIssue(pathOf(path, name), fault, field)];
  });
}

/** Source: specification, fieldFilters: each field can have only one condition. */
function checkFilters(filters: readonly ReadFilter[] = [], path: string): Issue[] {
  const names = filters.map(({ fieldName }) => fieldName);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [bodyIssue(`${pathOf(path, index)}.fieldName`, 'repeats a field; each can have only one condition', name)],
  );
}
