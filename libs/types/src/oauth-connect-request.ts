import { providerMetadataSchema } from './connection';
import { closedObject, flag, nameText, type Described } from './json-schema';

/** How long a customer may take to authorize an app. Our choice; see rulings. */
export const oauthStateLifeMs = 600_000;

/** Asks for the address where a customer allows the builder's app in. Source: published API, oauth-connect. */
export const oauthConnectRequestSchema = closedObject(
  'A customer who is to allow an app in.',
  ['provider', 'groupRef', 'consumerRef'],
  {
    projectIdOrName: {
      ...nameText,
      description: 'Id or name of the project; this or projectId is required.',
      examples: ['demo'],
    },
    // What the published Node client sends: the id, or the name. Both only of the same project.
    projectId: { ...nameText, description: 'The same as projectIdOrName, for published clients.' },
    provider: { ...nameText, description: 'The SaaS provider, such as hubspot.' },
    groupRef: { ...nameText, description: "The builder's id of the group." },
    groupName: { ...nameText, description: 'Name of the group; groupRef when absent.' },
    consumerRef: { ...nameText, description: "The builder's id of the user." },
    consumerName: { ...nameText, description: 'Name of the user; consumerRef when absent.' },
    // Published clients send an empty text when their user emptied the field.
    providerWorkspaceRef: {
      ...nameText,
      minLength: 0,
      pattern: '^[^\\u0000]*$',
      description: 'The workspace that is to be connected; none when empty.',
    },
    providerMetadata: providerMetadataSchema,
    providerAppId: { ...nameText, description: "The app; the project's newest of the provider when absent." },
    // Without the cookie the customer's return is refused: who begins must be who returns.
    enableCSRFProtection: flag('Whether a cookie ties the return to this request.'),
  },
);
export type OAuthConnectRequest = Described<typeof oauthConnectRequestSchema>;
