import { memberName, nameText, text, type Described } from './json-schema';

export const integrationFieldSchema = {
  type: 'object',
  description: 'A field: fieldName, or mapToName when the user chooses the field.',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    fieldName: { ...memberName, description: "The provider's name of the field." },
    mapToName: { ...memberName, description: "The builder's name of the field." },
    mapToDisplayName: { ...nameText, description: 'Shown name of mapToName.' },
    default: text('Provider field proposed to the user.'),
    prompt: text('The question to the user.'),
  },
} as const;
/**
 * A field of a read object. Either an existing one (`fieldName`, optionally under another name), or one that the user chooses at install time
 * (`mapToName` without `fieldName`). Names may be JSONPath in brackets: `$['a']['b']`. Source: published API, manifest.
 */
export type IntegrationField = Described<typeof integrationFieldSchema>;
