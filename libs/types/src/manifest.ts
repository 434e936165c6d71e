import { integrationFieldSchema, type IntegrationField } from './integration-field';
import { memberName, nameText } from './json-schema';
import { manifestBackfillSchema, subscribeSchema, watchSchemaSchema } from './manifest-stored';

/** The declaration of integrations that a builder deploys. Source: specification, Manifest. */
export interface Manifest {
  /** Version of the manifest format. Only `1.0.0` exists. */
  readonly specVersion: string;
  readonly integrations: readonly ManifestIntegration[];
}

/**
 * One integration of a manifest; also the content of a revision. Members that the specification does not name
 * (`module`, `subscribe`, `watchSchema`) come from the published API: stored and returned, nothing executes them; a module that is not
 * served has its writes and searches refused.
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
  readonly subscribe?: Readonly<Record<string, unknown>>;
  readonly watchSchema?: Readonly<Record<string, unknown>>;
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
  readonly backfill?: Readonly<Record<string, unknown>>;
  readonly delivery?: { readonly mode?: 'onRequest' | 'auto'; readonly pageSize?: number };
}

/** An object that can be written. `objectName` must exist in the customer's SaaS. */
export interface ManifestWriteObject {
  readonly objectName: string;
  /** When true, writes use the field mappings of the read object. @default false */
  readonly inheritMapping?: boolean;
  readonly valueDefaults?: { readonly allowAnyFields?: boolean };
}

const readObjectSchema = {
  type: 'object',
  description: 'An object that can be read and searched.',
  additionalProperties: false,
  required: ['objectName'],
  properties: {
    objectName: { ...memberName, description: "The provider's name of the object." },
    enabled: { type: 'string', enum: ['always'], description: 'Searchable whatever an installation says.' },
    destination: { type: 'string', maxLength: 255, description: 'Stored only.' },
    schedule: { type: 'string', maxLength: 255, description: 'Cron syntax. Stored only.' },
    mapToName: { ...memberName, description: 'Name under which callers write and search the object.' },
    mapToDisplayName: { ...nameText, description: 'Shown name of mapToName.' },
    requiredFields: { type: 'array', description: 'Fields always read.', items: integrationFieldSchema },
    optionalFields: { type: 'array', description: 'Fields a user may choose.', items: integrationFieldSchema },
    optionalFieldsAuto: { type: 'string', enum: ['all'], description: 'All fields may be chosen.' },
    backfill: manifestBackfillSchema,
    delivery: {
      type: 'object',
      description: 'Stored only.',
      additionalProperties: false,
      properties: {
        mode: { type: 'string', enum: ['onRequest', 'auto'], default: 'auto', description: 'When results are sent.' },
        pageSize: { type: 'integer', minimum: 50, maximum: 500, description: 'Records per page.' },
      },
    },
  },
} as const;

const writeObjectSchema = {
  type: 'object',
  description: 'An object that can be written.',
  additionalProperties: false,
  required: ['objectName'],
  properties: {
    objectName: { ...memberName, description: "The provider's name of the object." },
    inheritMapping: { type: 'boolean', default: false, description: 'Writes use the mappings of the read object.' },
    valueDefaults: {
      type: 'object',
      description: 'Which fields may get a default.',
      additionalProperties: false,
      properties: { allowAnyFields: { type: 'boolean', description: 'Any field may.' } },
    },
  },
} as const;

/** Schema of one integration in a request; unknown fields are refused. */
export const manifestIntegrationSchema = {
  type: 'object',
  description: 'One integration.',
  additionalProperties: false,
  required: ['name', 'provider'],
  properties: {
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
    read: {
      type: 'object',
      description: 'Read actions; search uses them too.',
      additionalProperties: false,
      properties: { objects: { type: 'array', description: 'Objects that can be read.', items: readObjectSchema } },
    },
    write: {
      type: 'object',
      description: 'Write actions.',
      additionalProperties: false,
      properties: { objects: { type: 'array', description: 'Objects that can be written.', items: writeObjectSchema } },
    },
    proxy: {
      type: 'object',
      description: 'Stored only.',
      additionalProperties: false,
      properties: {
        enabled: { type: 'boolean', description: 'Whether proxy calls are allowed.' },
        useModule: { type: 'boolean', description: 'Whether they go to the module.' },
      },
    },
    subscribe: subscribeSchema,
    watchSchema: watchSchemaSchema,
  },
} as const;

/** Schema of a whole manifest; unknown fields are refused. */
export const manifestSchema = {
  type: 'object',
  description: 'Declaration of integrations.',
  additionalProperties: false,
  required: ['specVersion', 'integrations'],
  properties: {
    specVersion: { type: 'string', enum: ['1.0.0'], description: 'Version of the manifest format.' },
    integrations: { type: 'array', description: 'One entry per integration.', items: manifestIntegrationSchema },
  },
} as const;
