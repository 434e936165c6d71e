import { listOf, mapOf, momentText, openObject, text, type Described } from './json-schema';
import { manifestIntegrationSchema } from './manifest';
import { fieldMetadataSchema } from './object-metadata';

const declared = manifestIntegrationSchema.properties;

/** A field that exists has a `displayName`; one that the user chooses is as the manifest has it. */
const field = openObject('A field, or a mapped name whose field the user chooses.', {
  fieldName: text("The provider's name of the field."),
  displayName: text("The provider's shown name of the field."),
  mapToName: text("The builder's name of the field."),
  mapToDisplayName: text('Shown name of mapToName.'),
  default: text('Provider field proposed to the user.'),
  prompt: text('The question to the user.'),
});

/** `destination` and `schedule` are always there, empty when the manifest has none; `allFieldsMetadata` and `allFields` are absent with `error`. */
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
    // Deprecated where it is published, and still what the prebuilt form of the published browser client offers for a mapping.
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
/** What an installation form shows of a customer's account. Source: published API, HydratedRevision. */
export type HydratedRevision = Described<typeof hydratedRevisionSchema>;
export type HydratedField = Described<typeof field>;
export type HydratedReadObject = Described<typeof readObject>;
export type HydratedWriteObject = Described<typeof writeObject>;
