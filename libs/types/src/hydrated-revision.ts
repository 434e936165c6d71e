import { moment } from './json-schema';
import { fieldMetadataSchema, type FieldMetadata } from './object-metadata';
import type { IntegrationField } from './integration-field';
import {
  manifestIntegrationSchema,
  type ManifestIntegration,
  type ManifestReadObject,
  type ManifestWriteObject,
} from './manifest';

/**
 * A revision with what one customer's account says of its objects: what an installation form shows.
 * Source: published API, HydratedRevision.
 */
export interface HydratedRevision {
  readonly id: string;
  readonly specVersion: string;
  readonly content: HydratedIntegration;
  readonly createTime: string;
}

export interface HydratedIntegration extends Pick<
  ManifestIntegration,
  'name' | 'provider' | 'displayName' | 'module' | 'proxy'
> {
  readonly read?: { readonly objects: readonly HydratedReadObject[] };
  readonly write?: { readonly objects: readonly HydratedWriteObject[] };
}

/** `destination` and `schedule` are always there, empty when the manifest has none. */
export interface HydratedReadObject extends Omit<ManifestReadObject, 'requiredFields' | 'optionalFields'> {
  readonly displayName: string;
  readonly destination: string;
  readonly schedule: string;
  /** Why the account's fields of this object are not known. */
  readonly error?: string;
  readonly requiredFields?: readonly HydratedField[];
  readonly optionalFields?: readonly HydratedField[];
  /** By the provider's field name; absent with `error`. */
  readonly allFieldsMetadata?: Readonly<Record<string, FieldMetadata>>;
  /**
   * The same fields as a list; absent with `error`. Deprecated where it is published, and still what the prebuilt form of
   * the published browser client offers for a mapping.
   */
  readonly allFields?: readonly HydratedField[];
}

/** A field that exists has a `displayName`; one that the user chooses is as the manifest has it. */
export interface HydratedField extends IntegrationField {
  readonly displayName?: string;
}

export interface HydratedWriteObject extends ManifestWriteObject {
  readonly displayName: string;
}

const declared = manifestIntegrationSchema.properties;

const text = (description: string) => ({ type: 'string', description }) as const;

const field = {
  type: 'object',
  description: 'A field, or a mapped name whose field the user chooses.',
  properties: {
    fieldName: text("The provider's name of the field."),
    displayName: text("The provider's shown name of the field."),
    mapToName: text("The builder's name of the field."),
    mapToDisplayName: text('Shown name of mapToName.'),
    default: text('Provider field proposed to the user.'),
    prompt: text('What the user is asked.'),
  },
} as const;

const readObject = {
  type: 'object',
  description: 'An object that can be read and searched.',
  required: ['objectName', 'displayName', 'destination', 'schedule'],
  properties: {
    ...declared.read.properties.objects.items.properties,
    displayName: text("The provider's shown name of the object."),
    error: text("Why the account's fields are not known."),
    requiredFields: { type: 'array', description: 'Fields always read.', items: field },
    optionalFields: { type: 'array', description: 'Fields a user may choose.', items: field },
    allFieldsMetadata: {
      type: 'object',
      description: 'Fields of the account, by name.',
      additionalProperties: fieldMetadataSchema,
    },
    allFields: { type: 'array', description: 'Fields of the account, as a list.', items: field },
  },
} as const;

const writeObject = {
  type: 'object',
  description: 'An object that can be written.',
  required: ['objectName', 'displayName'],
  properties: {
    ...declared.write.properties.objects.items.properties,
    displayName: text("The provider's shown name of the object."),
  },
} as const;

const listOf = <T>(description: string, items: T) =>
  ({
    type: 'object',
    description,
    required: ['objects'],
    properties: { objects: { type: 'array', description: 'The objects.', items } },
  }) as const;

/** Schema of the resource in replies. */
export const hydratedRevisionSchema = {
  type: 'object',
  description: 'A revision with what an account says of its objects.',
  required: ['id', 'specVersion', 'content', 'createTime'],
  properties: {
    id: text('Revision id.'),
    specVersion: text('Version of the manifest format.'),
    createTime: { ...moment, description: 'When it was deployed.' },
    content: {
      type: 'object',
      description: 'The integration.',
      required: ['name', 'provider'],
      properties: {
        name: text('Name of the integration.'),
        provider: text('The SaaS provider.'),
        displayName: text('Shown name.'),
        module: text('Part of the provider.'),
        read: listOf('Read actions.', readObject),
        write: listOf('Write actions.', writeObject),
        proxy: declared.proxy,
      },
    },
  },
} as const;
