import { choice, closedObject, memberName, openObject, text, type Described } from './json-schema';
import { limits } from './limits';
import type { JsonValue } from './write-request';

/** Source: specification, Search result item. */
export interface SearchResultItem {
  /** The provider's id of the record. */
  readonly id: string;
  /** Unmapped fields, under the name the manifest or config spells. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Mapped fields, under their mapped names only. */
  readonly mappedFields: Readonly<Record<string, JsonValue>>;
  /** The provider's unmodified record. */
  readonly raw: Readonly<Record<string, JsonValue>>;
}

/** One page of provider results, at most 100. */
export interface SearchReply {
  readonly results: readonly SearchResultItem[];
  /** The provider has more that match, or may have; absent where these are all. */
  readonly truncated?: true;
}

/** The group is in the query as `groupRef`. Source: specification, Search records. */
export const searchRequestSchema = closedObject('A narrow, targeted query.', ['objectName', 'fieldFilters'], {
  objectName: { ...memberName, description: "Object of the manifest's read.objects." },
  fieldFilters: {
    type: 'array',
    // None finds all records, one page of them.
    description: 'Conditions, joined by AND.',
    maxItems: limits.searchFiltersMax,
    items: closedObject('A condition on a field.', ['fieldName', 'operator', 'value'], {
      fieldName: { ...memberName, description: "A mapped name, or the provider's field name." },
      operator: choice('Equals.', ['eq']),
      value: {
        // Specification: string; the published API takes all three.
        type: ['string', 'boolean', 'number'],
        description: 'What the field must equal.',
        examples: ['zoe@example.com'],
      },
    }),
  },
});
export type SearchRequest = Described<typeof searchRequestSchema>;
export type SearchFilter = SearchRequest['fieldFilters'][number];

export const searchReplySchema = openObject('One page of provider results.', ['results'], {
  results: {
    type: 'array',
    description: 'Matching records.',
    maxItems: limits.searchPageRecords,
    items: openObject('A record.', ['id', 'fields', 'mappedFields', 'raw'], {
      id: text("The provider's id of the record.", '171590321967'),
      fields: { type: 'object', description: 'Unmapped fields.', examples: [{ email: 'zoe@example.com' }] },
      mappedFields: {
        type: 'object',
        description: 'Mapped fields, under their mapped names.',
        examples: [{ position: 'Engineer' }],
      },
      raw: {
        type: 'object',
        description: "The provider's unmodified record.",
        examples: [{ id: '171590321967', properties: { email: 'zoe@example.com', jobtitle: 'Engineer' } }],
      },
    }),
  },
  truncated: {
    type: 'boolean',
    const: true,
    description:
      'The provider has more records that match, or may have: make the filter narrower. Absent where these are all.',
  },
});
