import { updateConnectionRequestSchema } from './connection-request';
import { closedObject, mapOf, memberName, momentText, nameText, openObject, text } from './json-schema';
import type { Described } from './json-schema';

/** How long a connect session can be used, in milliseconds. Our choice: a person needs minutes, and a mail may be read late (rulings). */
export const connectSessionLifeMs = 1_800_000;

/** Open connect sessions of a project. Our choice: far more customers than connect within 30 minutes, and few rows to count. */
export const connectSessionsMax = 1_000;

/** Source: ours. */
export const createConnectSessionRequestSchema = closedObject(
  'A customer who is to connect an account by our page.',
  ['groupRef', 'consumerRef', 'integration'],
  {
    groupRef: { ...nameText, description: "The builder's id of the group.", examples: ['demo-group'] },
    groupName: { ...nameText, description: 'Name of the group; groupRef when absent.' },
    consumerRef: { ...nameText, description: "The builder's id of the user.", examples: ['ann'] },
    consumerName: { ...nameText, description: 'Name of the user; consumerRef when absent.' },
    integration: { ...nameText, description: 'The integration to install, by id or name.', examples: ['demo-hubspot'] },
    returnUrl: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description: 'Where the page leads at the end: https, of an origin in connectOrigins of the project.',
    },
  },
);
export type CreateConnectSessionRequest = Described<typeof createConnectSessionRequestSchema>;

export const connectSessionSchema = openObject(
  'A link by which one customer connects one account.',
  ['id', 'url', 'token', 'expireTime'],
  {
    id: text('Id of the session, which ends it.'),
    url: text("The page for the customer's browser; the token is in its fragment."),
    token: text('The token alone. Secret: who has it may connect an account for this group.'),
    expireTime: momentText('When the link ends.'),
  },
);
export type ConnectSession = Described<typeof connectSessionSchema>;

// What the page and management say to each other. It is no part of the published API.

const inputs = mapOf("The provider's inputs, by name.", { type: 'string', maxLength: 2048 });
const { properties: secrets } = updateConnectionRequestSchema.properties.connection;

export const connectAuthorizationSchema = closedObject('An authorization to begin.', { inputs });

export const connectCredentialsSchema = closedObject('Credentials that a customer typed.', {
  inputs,
  apiKey: secrets.apiKey,
  basicAuth: secrets.basicAuth,
  oauth2ClientCredentials: secrets.oauth2ClientCredentials,
  oauth2PasswordCredentials: secrets.oauth2PasswordCredentials,
});
export type ConnectCredentials = Described<typeof connectCredentialsSchema>;

/** Members of a config that a customer chooses, at the paths that they have there. */
export const connectChoicesSchema = closedObject('What a customer chose.', ['content'], {
  connectionId: text('The connection whose fields were shown.'),
  content: closedObject('As in a config.', {
    read: closedObject('Of objects that are read.', {
      objects: mapOf(
        'By the name of the object.',
        closedObject('Of one object.', {
          selectedFields: mapOf('Field name to: read it or not.', { type: 'boolean' }),
          selectedFieldMappings: mapOf("The builder's name to the provider's field name; empty: none.", {
            ...memberName,
            minLength: 0,
            pattern: '^(?!(?:__proto__|constructor|prototype)$)[^\\u0000]*$',
          }),
        }),
      ),
    }),
  }),
});
export type ConnectChoices = Described<typeof connectChoicesSchema>;

/** A way to give access: the provider's own page, or credentials that the customer has. */
export type ConnectWay = 'page' | 'apiKey' | 'basicAuth' | 'oauth2ClientCredentials' | 'oauth2PasswordCredentials';

/**
 * How far a session is. `open`: no account is connected by it. `connected`: an account is, and a required choice is missing. `installed`: the
 * installation stands, and optional fields may be chosen. `done`: it is used up. The others show nothing of the customer.
 */
export type ConnectState = 'open' | 'connected' | 'installed' | 'done' | 'expired' | 'used' | 'other-browser';

/** What the page shows, as the browser that asks may see it. */
export interface ConnectView {
  readonly state: ConnectState;
  readonly app: { readonly name: string; readonly color?: string };
  /** Absent where the session is over, or another browser's. */
  readonly session?: ConnectViewSession;
}

export interface ConnectViewSession {
  readonly group: string;
  readonly provider: { readonly name: string; readonly displayName: string };
  readonly integration: string;
  /** Objects that are read and written, by their shown names. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The first is offered first. */
  readonly ways: readonly ConnectWay[];
  /** Asked for before the account can be reached. */
  readonly inputs: readonly ConnectInput[];
  /** The account that is connected, as far as the provider names it. */
  readonly account?: string;
  /** The group has the integration: the page connects again, or changes what was chosen. */
  readonly installed?: { readonly isRefused: boolean };
  /** There are fields or mappings to choose. */
  readonly hasChoices: boolean;
  /** Why the last attempt failed, as a sentence. */
  readonly failure?: string;
  readonly connectionId?: string;
  readonly installationId?: string;
  readonly returnUrl?: string;
  readonly expireTime: string;
}

export interface ConnectInput {
  readonly name: string;
  readonly displayName?: string;
  readonly prompt?: string;
  readonly docsURL?: string;
  /** Ways in which it may be left empty. */
  readonly optionalFor: readonly ConnectWay[];
  /** The connection that connects again has it. */
  readonly value?: string;
}

/** What can be chosen of one object, with the fields of the account. */
export interface ConnectObject {
  readonly objectName: string;
  readonly displayName: string;
  readonly optionalFields: readonly ConnectField[];
  readonly mappings: readonly ConnectMapping[];
  /** The account's fields. Empty where no mapping is to be chosen, or with `error`. */
  readonly fields: readonly { readonly fieldName: string; readonly displayName: string }[];
  /** Why the account's fields are not known. */
  readonly error?: string;
}

export interface ConnectField {
  /** As `selectedFields` names it. */
  readonly name: string;
  readonly displayName: string;
  readonly isChosen: boolean;
}

export interface ConnectMapping {
  readonly mapToName: string;
  readonly displayName: string;
  readonly prompt?: string;
  readonly isRequired: boolean;
  /** The field that is chosen or proposed, if the account has it. */
  readonly field?: string;
}
