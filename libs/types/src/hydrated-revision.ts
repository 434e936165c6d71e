import { listOf, mapOf, momentText, openObject, text } from './json-schema';
import { fieldMetadataSchema, type FieldMetadata } from './object-metadata';
import type { IntegrationField } from './integration-field';
import {
  manifestIntegrationSchema,
  type ManifestIntegration,
  type ManifestReadObject,
  type ManifestWriteObject,
} from './manifest';

/**
 * A revision with one customer's account's descriptions of its objects: what an installation form shows.
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

const field = openObject('A field, or a mapped name whose field the user chooses.', {
  fieldName: text("The provider's name of the field."),
  displayName: text("The provider's shown name of the field."),
  mapToName: text("The builder's name of the field."),
  mapToDisplayName: text('Shown name of mapToName.'),
  default: text('Provider field proposed to the user.'),
  prompt: text('The question to the user.'),
});

const readObject = openObject(
  'An object that can be read and searched.',
  ['objectName', 'displayName', 'destination', 'schedule'],
  {
    ...declared.read.properties.objects.items.properties,
    displayName: text("The provider's shown name of the object."),
    error: text("Why the account's fields are not known."),
    requiredFields: listOf('Fields always read.', field),
    optionalFields: listOf('Fields a user may choose.', field),
    allFieldsMetadata: mapOf('Fields of the account, by name.', fieldMetadataSchema),
    allFields: listOf('Fields of the account, as a list.', field),
  },
);

const writeObject = openObject('An object that can be written.', ['objectName', 'displayName'], {
  ...declared.write.properties.objects.items.properties,
  displayName: text("The provider's shown name of the object."),
});

const actionOf = <const Item extends object>(description: string, items: Item) =>
  openObject(description, ['objects'], { objects: listOf('The objects.', items) });

export const hydratedRevisionSchema = openObject(
  "A revision with an account's descriptions of its objects.",
  ['id', 'specVersion', 'content', 'createTime'],
  {
    id: text('Revision id.'),
    specVersion: text('Version of the manifest format.'),
    createTime: momentText('When it was deployed.'),
    content: openObject('The integration.', ['name', 'provider'], {
      name: text('Name of the integration.'),
      provider: text('The SaaS provider.'),
      displayName: text('Shown name.'),
      module: text('Part of the provider.'),
      read: actionOf('Read actions.', readObject),
      write: actionOf('Write actions.', writeObject),
      proxy: declared.proxy,
    }),
  },
);
