import type { Issue } from '@sluice/errors';
import { integrationFieldSchema, type IntegrationField } from './integration-field';
import { choice, closedObject, flag, listOf, memberName, nameText, type Described } from './json-schema';
import { manifestBackfillSchema, subscribeSchema, watchSchemaSchema } from './manifest-stored';
import { bodyIssue } from './problem';
import { isCronSchedule } from './cron-schedule';
import { pathOf, jsonPathFault } from './field-names';

/** The declaration of integrations that a builder deploys. Source: specification, Manifest. */
export interface Manifest {
  /** Version of the manifest format. Only `1.0.0` exists. */
  readonly specVersion: string;
  readonly integrations: readonly ManifestIntegration[];
}

/**
 * One integration of a manifest; also the content of a revision. Members that the specification does not name (`module`, `subscribe`, `watchSchema`)
 * come from the published API. They are stored and returned, but not executed. Writes and searches of a module that is not served are refused.
 */
export interface ManifestIntegration {
  /** Unique in the project. 1 to 64 letters, digits, `-`, `_`. */
  readonly name: string;
  readonly displayName?: string;
  /** `hubspot`, `salesforce`, … */
  readonly provider: string;
  readonly module?: string;
  readonly read?: { readonly objects?: readonly ManifestReadObject[] };
  readonly write?: { readonly objects?: readonly ManifestWriteObject[] };
  readonly proxy?: { readonly enabled?: boolean; readonly useModule?: boolean };
  readonly subscribe?: Described<typeof subscribeSchema>;
  readonly watchSchema?: Described<typeof watchSchemaSchema>;
}

/**
 * An object that can be read and searched. The specification needs `objectName` only; the rest is the published
 * API's. Of these, `schedule`, `destination`, `backfill` and `delivery` are stored and returned, nothing executes them.
 */
export interface ManifestReadObject {
  readonly objectName: string;
  /** `always`: searchable even where an installation's config disables the object. */
  readonly enabled?: 'always';
  readonly destination?: string;
  /** Cron syntax. */
  readonly schedule?: string;
  /** The name under which callers write and search the object. */
  readonly mapToName?: string;
  readonly mapToDisplayName?: string;
  readonly requiredFields?: readonly IntegrationField[];
  readonly optionalFields?: readonly IntegrationField[];
  readonly optionalFieldsAuto?: 'all';
  readonly backfill?: Described<typeof manifestBackfillSchema>;
  readonly delivery?: { readonly mode?: 'onRequest' | 'auto'; readonly pageSize?: number };
}

/** An object that can be written. `objectName` must exist in the customer's SaaS. */
export interface ManifestWriteObject {
  readonly objectName: string;
  /** When true, writes use the field mappings of the read object. @default false */
  readonly inheritMapping?: boolean;
  readonly valueDefaults?: { readonly allowAnyFields?: boolean };
}

const readObjectSchema = closedObject('An object that can be read and searched.', ['objectName'], {
  objectName: { ...memberName, description: "The provider's name of the object." },
  enabled: choice('Searchable in every installation.', ['always']),
  destination: { type: 'string', maxLength: 255, description: 'Stored only.' },
  schedule: { type: 'string', maxLength: 255, description: 'Cron syntax. Stored only.' },
  mapToName: { ...memberName, description: 'Name under which callers write and search the object.' },
  mapToDisplayName: { ...nameText, description: 'Shown name of mapToName.' },
  requiredFields: listOf('Fields always read.', integrationFieldSchema),
  optionalFields: listOf('Fields a user may choose.', integrationFieldSchema),
  optionalFieldsAuto: choice('All fields may be chosen.', ['all']),
  backfill: manifestBackfillSchema,
  delivery: closedObject('Stored only.', {
    mode: { type: 'string', enum: ['onRequest', 'auto'], default: 'auto', description: 'When results are sent.' },
    pageSize: { type: 'integer', minimum: 50, maximum: 500, description: 'Records per page.' },
  }),
});

const writeObjectSchema = closedObject('An object that can be written.', ['objectName'], {
  objectName: { ...memberName, description: "The provider's name of the object." },
  inheritMapping: { type: 'boolean', default: false, description: 'Writes use the mappings of the read object.' },
  valueDefaults: closedObject('Which fields may get a default.', { allowAnyFields: flag('Any field may.') }),
});

export const manifestIntegrationSchema = closedObject('One integration.', ['name', 'provider'], {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
    description: 'Unique in the project: letters, digits, - and _.',
  },
  displayName: { type: 'string', maxLength: 100, description: 'Shown name.' },
  provider: { ...nameText, description: 'The SaaS provider, such as hubspot.' },
  module: {
    ...nameText,
    description: 'Part of the provider. Writes and searches of one that is not served are refused.',
  },
  read: closedObject('Read actions; search uses them too.', {
    objects: listOf('Objects that can be read.', readObjectSchema),
  }),
  write: closedObject('Write actions.', { objects: listOf('Objects that can be written.', writeObjectSchema) }),
  proxy: closedObject('Stored only.', {
    enabled: flag('Whether proxy calls are allowed.'),
    useModule: flag('Whether they go to the module.'),
  }),
  subscribe: subscribeSchema,
  watchSchema: watchSchemaSchema,
});

export const manifestSchema = closedObject('Declaration of integrations.', ['specVersion', 'integrations'], {
  specVersion: choice('Version of the manifest format.', ['1.0.0']),
  integrations: listOf('One entry per integration.', manifestIntegrationSchema),
});

/** Rules of a whole manifest that the schema cannot express. `path` is that of the manifest in the body, '' for the body itself. */
export function checkManifest(manifest: Manifest, path = ''): Issue[] {
  const list = pathOf(path, 'integrations');
  const names = manifest.integrations.map(({ name }) => name);
  return [
    ...checkUnique(names, list, 'name'),
    ...manifest.integrations.flatMap((integration, index) =>
      checkManifestIntegration(integration, pathOf(list, index)),
    ),
  ];
}

/** Rules of one integration: no object twice, each field named, a mapped name used once, a readable schedule. */
export function checkManifestIntegration(integration: ManifestIntegration, path = ''): Issue[] {
  const read = integration.read?.objects ?? [];
  const readPath = pathOf(pathOf(path, 'read'), 'objects');
  return [
    ...checkObjects(read, readPath),
    ...checkObjects(integration.write?.objects, pathOf(pathOf(path, 'write'), 'objects')),
    ...read.flatMap((object, index) => checkReadObject(object, pathOf(readPath, index))),
    ...checkStored(integration, path),
  ];
}

/** `subscribe` and `watchSchema`: their form is the schema's, what is left is an object twice and the schedule. */
function checkStored({ subscribe, watchSchema }: ManifestIntegration, path: string): Issue[] {
  const issues = checkObjects(subscribe?.objects, pathOf(pathOf(path, 'subscribe'), 'objects'));
  const { schedule } = watchSchema ?? {};
  if (schedule && !isCronSchedule(schedule)) {
    issues.push(bodyIssue(`${pathOf(path, 'watchSchema')}.schedule`, cronRule, schedule));
  }
  return issues;
}

const cronRule = 'must be cron syntax of five fields';

function checkReadObject(object: ManifestReadObject, path: string): Issue[] {
  const issues = [
    ...checkFields(object.requiredFields ?? [], `${path}.requiredFields`),
    ...checkFields(object.optionalFields ?? [], `${path}.optionalFields`),
  ];
  const fields = [...(object.requiredFields ?? []), ...(object.optionalFields ?? [])];
  const mapped = fields.flatMap(({ mapToName }) => (mapToName === undefined ? [] : [mapToName]));
  const twice = firstTwice(mapped);
  if (twice !== undefined) issues.push(bodyIssue(path, `maps two fields to ${twice}`, twice));
  if (object.schedule && !isCronSchedule(object.schedule)) {
    issues.push(bodyIssue(`${path}.schedule`, cronRule, object.schedule));
  }
  return issues;
}

function checkFields(fields: readonly IntegrationField[], path: string): Issue[] {
  return fields.flatMap((field, index) => {
    const here = pathOf(path, index);
    if (field.fieldName === undefined && field.mapToName === undefined) {
      return [bodyIssue(here, 'needs fieldName, or mapToName when the user chooses the field')];
    }
    return (['fieldName', 'mapToName'] as const).flatMap((member) => {
      const name = field[member];
      const fault = name === undefined ? undefined : jsonPathFault(name);
      return fault === undefined ? [] : [bodyIssue(`${here}.${member}`, fault, name)];
    });
  });
}

function checkObjects(objects: readonly { readonly objectName: string }[] = [], path: string): Issue[] {
  return checkUnique(
    objects.map(({ objectName }) => objectName),
    path,
    'objectName',
  );
}

function checkUnique(names: readonly string[], path: string, member: string): Issue[] {
  const twice = firstTwice(names);
  if (twice === undefined) return [];
  return [bodyIssue(`${pathOf(path, names.lastIndexOf(twice))}.${member}`, `repeats ${twice}`, twice)];
}

function firstTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
