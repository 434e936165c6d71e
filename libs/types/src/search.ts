import { memberName } from './json-schema';
import { limits } from './limits';
import type { JsonValue } from './write-request';

/** Body of a search. The group stands in the query as `groupRef`. Source: specification, Search records. */
export interface SearchRequest {
  readonly objectName: string;
  /** Joined by AND. At most 20; none finds all records, one page of them. */
  readonly fieldFilters: readonly SearchFilter[];
}

export interface SearchFilter {
  /** A mapped name, or the provider's field name. */
  readonly fieldName: string;
  readonly operator: 'eq';
  /** Specification: string; the published API takes all three. */
  readonly value: string | boolean | number;
}

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
}

/** Schema of the request body; unknown fields are refused. */
export const searchRequestSchema = {
  type: 'object',
  description: 'A narrow, targeted query.',
  additionalProperties: false,
  required: ['objectName', 'fieldFilters'],
  properties: {
    objectName: { ...memberName, description: "Object of the manifest's read.objects." },
    fieldFilters: {
      type: 'array',
      description: 'Conditions, joined by AND.',
      maxItems: limits.searchFiltersMax,
      items: {
        type: 'object',
        description: 'A condition on a field.',
        additionalProperties: false,
        required: ['fieldName', 'operator', 'value'],
        properties: {
          fieldName: { ...memberName, description: "A mapped name, or the provider's field name." },
          operator: { type: 'string', enum: ['eq'], description: 'Equals.' },
          value: { type: ['string', 'boolean', 'number'], description: 'What the field must equal.' },
        },
      },
    },
  },
} as const;

/** Schema of the reply. */
export const searchReplySchema = {
  type: 'object',
  description: 'One page of provider results.',
  required: ['results'],
  properties: {
    results: {
      type: 'array',
      description: 'Matching records.',
      maxItems: limits.searchPageRecords,
      items: {
        type: 'object',
        description: 'A record.',
        required: ['id', 'fields', 'mappedFields', 'raw'],
        properties: {
          id: { type: 'string', description: "The provider's id of the record." },
          fields: { type: 'object', description: 'Unmapped fields.' },
          mappedFields: { type: 'object', description: 'Mapped fields, under their mapped names.' },
          raw: { type: 'object', description: "The provider's unmodified record." },
        },
      },
    },
  },
} as const;
