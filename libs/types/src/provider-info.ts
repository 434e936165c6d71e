import type { JsonSchema } from './json-schema';

/** What can be done with a provider, as the catalogue tells it. Source: published API, ProviderInfo. */
export interface ProviderInfo {
  /** `hubspot`, `salesforce`. */
  readonly name: string;
  readonly displayName?: string;
  /** May hold a variable in double braces: `https://{{.workspace}}.my.salesforce.com`. */
  readonly baseURL: string;
  readonly authType: 'oauth2' | 'apiKey' | 'basic' | 'jwt' | 'custom' | 'none';
  readonly support: ProviderSupport;
  /** The module that is meant when none is named; empty: the provider has none. */
  readonly defaultModule: string;
  /** Something of the account is asked for after the authorization. */
  readonly postAuthInfoNeeded?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** What a user is asked for before the authorization. */
  readonly metadata?: { readonly input?: readonly ProviderInput[] };
  readonly oauth2Opts?: OAuth2Options;
  readonly apiKeyOpts?: ApiKeyOptions;
  readonly basicOpts?: BasicOptions;
  /** Always empty; older published clients refuse a reply without it. */
  readonly providerOpts: Readonly<Record<string, string>>;
}

/** Which actions work. Bulk means jobs of their own at the provider, which we do not use. */
export interface ProviderSupport {
  readonly bulkWrite: Readonly<Record<'insert' | 'update' | 'upsert' | 'delete', boolean>>;
  readonly batchWrite?: Readonly<Record<'create' | 'update' | 'upsert' | 'delete', BatchSupport>>;
  readonly proxy: boolean;
  readonly read: boolean;
  readonly write: boolean;
  readonly subscribe: boolean;
  readonly delete: boolean;
  readonly search: { readonly operators: { readonly equals: boolean } };
}

export interface BatchSupport {
  readonly supported: boolean;
  /** Records of one provider call. */
  readonly defaultRecordLimit?: number;
}

/** How the authorization of a user is asked for and exchanged. Source: RFC 6749. */
export interface OAuth2Options {
  readonly grantType: 'authorizationCode' | 'authorizationCodePKCE' | 'clientCredentials' | 'password';
  readonly authURL?: string;
  readonly tokenURL: string;
  /** The builder must name the scopes. */
  readonly explicitScopesRequired: boolean;
  /** The user must name the workspace. */
  readonly explicitWorkspaceRequired: boolean;
  /** Members of the token reply. */
  readonly tokenMetadataFields: {
    readonly workspaceRefField?: string;
    readonly consumerRefField?: string;
    readonly scopesField?: string;
    readonly otherFields?: readonly string[];
  };
  readonly docsURL?: string;
}

/** Where an API key goes in a request. */
export interface ApiKeyOptions {
  readonly attachmentType: 'query' | 'header';
  readonly header?: { readonly name: string; readonly valuePrefix?: string };
  readonly query?: { readonly name: string };
  readonly docsURL?: string;
}

/** How an API key takes the place of user name and password. */
export interface BasicOptions {
  readonly apiKeyAsBasic?: boolean;
  readonly apiKeyAsBasicOpts?: { readonly fieldUsed?: 'username' | 'password'; readonly keyFormat?: string };
}

/** Something a user is asked for. */
export interface ProviderInput {
  readonly name: string;
  readonly displayName?: string;
  readonly prompt?: string;
  readonly docsURL?: string;
}

const flag = (description: string) => ({ type: 'boolean', description }) as const;
const batch = {
  type: 'object',
  description: 'Whether several records go in one call.',
  required: ['supported'],
  properties: {
    supported: flag('They do.'),
    defaultRecordLimit: { type: 'integer', minimum: 1, description: 'Records of one call.' },
  },
} as const;
const flagsOf = <T>(names: readonly string[], of: T) => Object.fromEntries(names.map((name) => [name, of]));
const bulkNames = ['insert', 'update', 'upsert', 'delete'];
const batchNames = ['create', 'update', 'upsert', 'delete'];

const support = {
  type: 'object',
  description: 'Which actions work.',
  required: ['bulkWrite', 'proxy', 'read', 'write', 'subscribe', 'delete', 'search'],
  properties: {
    bulkWrite: {
      type: 'object',
      description: 'Jobs of their own at the provider.',
      required: bulkNames,
      properties: flagsOf(bulkNames, flag('Used.')),
    },
    batchWrite: {
      type: 'object',
      description: 'Several records in one call.',
      required: batchNames,
      properties: flagsOf(batchNames, batch),
    },
    proxy: flag('Proxy calls.'),
    read: flag('Scheduled reads.'),
    write: flag('Writes.'),
    subscribe: flag('Subscriptions.'),
    delete: flag('Deletion of records.'),
    search: {
      type: 'object',
      description: 'Searches.',
      required: ['operators'],
      properties: {
        operators: {
          type: 'object',
          description: 'Operators of a filter.',
          required: ['equals'],
          properties: { equals: flag('`eq`.') },
        },
      },
    },
  },
} as const;

const oauth2Opts = {
  type: 'object',
  description: 'How an authorization is asked for and exchanged.',
  required: ['grantType', 'tokenURL', 'explicitScopesRequired', 'explicitWorkspaceRequired', 'tokenMetadataFields'],
  properties: {
    grantType: {
      type: 'string',
      enum: ['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'],
      description: 'Kind of grant.',
    },
    authURL: { type: 'string', description: 'Where the user consents.' },
    tokenURL: { type: 'string', description: 'Where tokens are issued.' },
    explicitScopesRequired: flag('The builder must name the scopes.'),
    explicitWorkspaceRequired: flag('The user must name the workspace.'),
    tokenMetadataFields: {
      type: 'object',
      description: 'Members of the token reply.',
      properties: {
        workspaceRefField: { type: 'string', description: 'The workspace.' },
        consumerRefField: { type: 'string', description: 'The user.' },
        scopesField: { type: 'string', description: 'The granted scopes.' },
        otherFields: { type: 'array', description: 'Others that are kept.', items: { type: 'string' } },
      },
    },
    docsURL: { type: 'string', description: 'Where this is documented.' },
  },
} as const;

const apiKeyOpts = {
  type: 'object',
  description: 'Where an API key goes.',
  required: ['attachmentType'],
  properties: {
    attachmentType: { type: 'string', enum: ['query', 'header'], description: 'Part of the request.' },
    header: {
      type: 'object',
      description: 'The header.',
      required: ['name'],
      properties: {
        name: { type: 'string', description: 'Its name.' },
        valuePrefix: { type: 'string', description: 'Stands before the key.' },
      },
    },
    query: {
      type: 'object',
      description: 'The query parameter.',
      required: ['name'],
      properties: { name: { type: 'string', description: 'Its name.' } },
    },
    docsURL: { type: 'string', description: 'Where this is documented.' },
  },
} as const;

const basicOpts = {
  type: 'object',
  description: 'How an API key takes the place of user name and password.',
  properties: {
    apiKeyAsBasic: flag('It does.'),
    apiKeyAsBasicOpts: {
      type: 'object',
      description: 'In which form.',
      properties: {
        fieldUsed: { type: 'string', enum: ['username', 'password'], description: 'The part that holds the key.' },
        keyFormat: { type: 'string', description: 'What is sent, with {key} for the key.' },
      },
    },
  },
} as const;

/** Schema of one provider in replies. */
export const providerInfoSchema = {
  type: 'object',
  description: 'What can be done with a provider.',
  required: ['name', 'baseURL', 'authType', 'support', 'defaultModule', 'providerOpts'],
  properties: {
    name: { type: 'string', description: 'Name, as integrations and connections spell it.' },
    displayName: { type: 'string', description: 'Shown name.' },
    baseURL: { type: 'string', description: 'Where calls go; may hold a variable in double braces.' },
    authType: {
      type: 'string',
      enum: ['oauth2', 'apiKey', 'basic', 'jwt', 'custom', 'none'],
      description: 'The usual kind of authentication.',
    },
    support,
    defaultModule: { type: 'string', description: 'The module that is meant when none is named.' },
    postAuthInfoNeeded: flag('Something is asked for after the authorization.'),
    labels: { type: 'object', description: 'Labels.', additionalProperties: { type: 'string' } },
    metadata: {
      type: 'object',
      description: 'What a user is asked for.',
      properties: {
        input: {
          type: 'array',
          description: 'Before the authorization.',
          items: {
            type: 'object',
            description: 'One thing.',
            required: ['name'],
            properties: {
              name: { type: 'string', description: 'Its name.' },
              displayName: { type: 'string', description: 'Shown name.' },
              prompt: { type: 'string', description: 'The question.' },
              docsURL: { type: 'string', description: 'Where this is documented.' },
            },
          },
        },
      },
    },
    oauth2Opts,
    apiKeyOpts,
    basicOpts,
    providerOpts: { type: 'object', description: 'Always empty.', additionalProperties: { type: 'string' } },
  },
} as const satisfies JsonSchema;

/** Schema of the catalogue in replies: provider name to its entry. */
export const providerCatalogueSchema = {
  type: 'object',
  description: 'The providers, by name.',
  additionalProperties: providerInfoSchema,
} as const satisfies JsonSchema;
