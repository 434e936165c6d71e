import { choice, closedObject, listOf, mapOf, memberName, text, type Described } from './json-schema';
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
  readonly dynamicMappingsInput?: readonly Described<typeof dynamicMapping>[];
  /** Stored and returned, nothing executes it. */
  readonly backfill?: Described<typeof backfill>;
  /** Joined by AND, one condition per field. Stored and returned, nothing executes it. */
  readonly fieldFilters?: readonly ReadFilter[];
}

const textMap = { type: 'object', additionalProperties: { type: 'string' } } as const;

const fieldFilters = listOf(
  'Conditions, joined by AND; one per field. Stored only.',
  closedObject('A condition on a field.', ['fieldName', 'operator', 'value'], {
    fieldName: { ...memberName, description: 'The field.' },
    operator: choice('Equals.', ['eq']),
    value: { type: ['string', 'boolean', 'number'], description: 'What the field must equal.' },
  }),
);
export type ReadFilter = Described<typeof fieldFilters>[number];

const dynamicMapping = closedObject('A mapping available to the installation.', ['mapToName'], {
  mapToName: { ...memberName, description: "The builder's name of the field." },
  mapToDisplayName: text('Shown name.'),
  prompt: text('The question to the user.'),
  fieldName: { ...memberName, description: "The provider's field; the user is not asked then." },
  mappedValues: listOf(
    'Values that can be mapped.',
    closedObject('A value.', ['mappedValue', 'mappedDisplayValue'], {
      mappedValue: text('The value.'),
      mappedDisplayValue: text('Shown value.'),
    }),
  ),
});

const backfill = {
  ...manifestBackfillSchema,
  properties: { ...manifestBackfillSchema.properties, fieldFilters },
} as const;

export const readObjectConfigSchema = closedObject('Reading of one object.', ['objectName'], {
  objectName: { ...memberName, description: 'The object to read.' },
  schedule: { type: 'string', maxLength: 255, description: 'Cron syntax. Stored only.' },
  disabled: { type: 'boolean', default: false, description: 'The object cannot be searched.' },
  destination: { type: 'string', maxLength: 255, description: 'Receiver of results. Stored only.' },
  selectedFields: mapOf('Field name to: read it or not.', { type: 'boolean' }),
  selectedFieldsAuto: choice('All fields are read.', ['all']),
  selectedFieldMappings: { ...textMap, description: "The builder's name to the provider's field name." },
  selectedValueMappings: mapOf("Field name to a map from delivered value to the provider's value.", textMap),
  dynamicMappingsInput: listOf('Mappings available.', dynamicMapping),
  backfill,
  fieldFilters,
});
