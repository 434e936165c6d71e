import { memberName } from './json-schema';
import { manifestBackfillSchema } from './manifest-stored';

/** Reading of one object, in an installation. Source: specification, Config Content, read.objects. */
export interface ReadObjectConfig {
  readonly objectName: string;
  /** Cron syntax. Stored and returned, nothing executes it. */
  readonly schedule?: string;
  /** When true the object cannot be searched, unless the manifest enables it always. @default false */
  readonly disabled?: boolean;
  /** Stored and returned, nothing executes it. */
  readonly destination?: string;
  /** Field name to: read it or not. A field of selectedFieldMappings need not be listed. */
  readonly selectedFields?: Readonly<Record<string, boolean>>;
  /** `all`: all fields are read. */
  readonly selectedFieldsAuto?: 'all';
  /** The builder's name to the provider's field name. */
  readonly selectedFieldMappings?: Readonly<Record<string, string>>;
  /** Field name to (delivered value to the provider's value). */
  readonly selectedValueMappings?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dynamicMappingsInput?: readonly DynamicMapping[];
  /** Stored and returned, nothing executes it. */
  readonly backfill?: Backfill;
  /** Joined by AND, one condition per field. Stored and returned, nothing executes it. */
  readonly fieldFilters?: readonly ReadFilter[];
}

/** A field and value mapping that is available to the installation. */
export interface DynamicMapping {
  readonly mapToName: string;
  readonly mapToDisplayName?: string;
  readonly prompt?: string;
  /** When present the user is not prompted to map the field. */
  readonly fieldName?: string;
  readonly mappedValues?: readonly MappedValue[];
}

export interface MappedValue {
  readonly mappedValue: string;
  readonly mappedDisplayValue: string;
}

/** At least one of `days` and `fullHistory` is set. */
export interface Backfill {
  readonly defaultPeriod: {
    /** Integer, at least 0; 0 means no backfill. */
    readonly days?: number;
    readonly fullHistory?: boolean;
  };
  readonly fieldFilters?: readonly ReadFilter[];
}

export interface ReadFilter {
  readonly fieldName: string;
  readonly operator: 'eq';
  readonly value: string | boolean | number;
}

const textMap = { type: 'object', additionalProperties: { type: 'string' } } as const;

const fieldFilters = {
  type: 'array',
  description: 'Conditions, joined by AND; one per field. Stored only.',
  items: {
    type: 'object',
    description: 'A condition on a field.',
    additionalProperties: false,
    required: ['fieldName', 'operator', 'value'],
    properties: {
      fieldName: { ...memberName, description: 'The field.' },
      operator: { type: 'string', enum: ['eq'], description: 'Equals.' },
      value: { type: ['string', 'boolean', 'number'], description: 'What the field must equal.' },
    },
  },
} as const;

const dynamicMapping = {
  type: 'object',
  description: 'A mapping available to the installation.',
  additionalProperties: false,
  required: ['mapToName'],
  properties: {
    mapToName: { ...memberName, description: "The builder's name of the field." },
    mapToDisplayName: { type: 'string', description: 'Shown name.' },
    prompt: { type: 'string', description: 'What the user is asked.' },
    fieldName: { ...memberName, description: "The provider's field; the user is not asked then." },
    mappedValues: {
      type: 'array',
      description: 'Values that can be mapped.',
      items: {
        type: 'object',
        description: 'A value.',
        additionalProperties: false,
        required: ['mappedValue', 'mappedDisplayValue'],
        properties: {
          mappedValue: { type: 'string', description: 'The value.' },
          mappedDisplayValue: { type: 'string', description: 'Shown value.' },
        },
      },
    },
  },
} as const;

const backfill = {
  ...manifestBackfillSchema,
  properties: { ...manifestBackfillSchema.properties, fieldFilters },
} as const;

/** Schema of one entry of `read.objects` in a request; unknown fields are refused. */
export const readObjectConfigSchema = {
  type: 'object',
  description: 'Reading of one object.',
  additionalProperties: false,
  required: ['objectName'],
  properties: {
    objectName: { ...memberName, description: 'The object to read.' },
    schedule: { type: 'string', maxLength: 255, description: 'Cron syntax. Stored only.' },
    disabled: { type: 'boolean', default: false, description: 'The object cannot be searched.' },
    destination: { type: 'string', maxLength: 255, description: 'Receiver of results. Stored only.' },
    selectedFields: {
      type: 'object',
      description: 'Field name to: read it or not.',
      additionalProperties: { type: 'boolean' },
    },
    selectedFieldsAuto: { type: 'string', enum: ['all'], description: 'All fields are read.' },
    selectedFieldMappings: { ...textMap, description: "The builder's name to the provider's field name." },
    selectedValueMappings: {
      type: 'object',
      description: "Field name to a map from delivered value to the provider's value.",
      additionalProperties: textMap,
    },
    dynamicMappingsInput: { type: 'array', description: 'Mappings available.', items: dynamicMapping },
    backfill,
    fieldFilters,
  },
} as const;
