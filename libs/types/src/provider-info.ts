import { choice, flag, listOf, mapOf, openObject, text, type JsonSchema, type Described } from './json-schema';

/** What can be done with a provider, according to the catalogue. Source: published API, ProviderInfo. */
export interface ProviderInfo {
  /** `hubspot`, `salesforce`. */
  readonly name: string;
  readonly displayName?: string;
  /** May hold a variable in double braces: `https://{{.workspace}}.my.salesforce.com`. */
  readonly baseURL: string;
  readonly authType: 'oauth2' | 'apiKey' | 'basic' | 'jwt' | 'custom' | 'none';
  readonly support: ProviderSupport;
  /** Versions of the provider's API that this build asks for and that are over. Absent: none. */
  readonly endedVersions?: readonly string[];
  /** The module that is meant when none is named; empty: the provider has none. */
  readonly defaultModule: string;
  /** Something of the account is asked for after the authorization. */
  readonly postAuthInfoNeeded?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** What a user is asked for before the authorization. */
  readonly metadata?: { readonly input?: Described<typeof input> };
  readonly oauth2Opts?: Described<typeof oauth2Opts>;
  readonly apiKeyOpts?: Described<typeof apiKeyOpts>;
  readonly basicOpts?: Described<typeof basicOpts>;
  /** Always empty; older published clients refuse a reply without it. */
  readonly providerOpts: Readonly<Record<string, string>>;
}

/** Which actions work. Bulk means jobs of their own at the provider, which we do not use. */
export interface ProviderSupport {
  readonly bulkWrite: Readonly<Record<'insert' | 'update' | 'upsert' | 'delete', boolean>>;
  readonly batchWrite?: Readonly<Record<'create' | 'update' | 'upsert' | 'delete', Described<typeof batch>>>;
  readonly proxy: boolean;
  readonly read: boolean;
  readonly write: boolean;
  readonly subscribe: boolean;
  readonly delete: boolean;
  readonly search: { readonly operators: { readonly equals: boolean } };
}

const batch = openObject('Whether several records go in one call.', ['supported'], {
  supported: flag('They do.'),
  defaultRecordLimit: { type: 'integer', minimum: 1, description: 'Records of one call.' },
});
const flagsOf = <T>(names: readonly string[], of: T) => Object.fromEntries(names.map((name) => [name, of]));
const bulkNames = ['insert', 'update', 'upsert', 'delete'];
const batchNames = ['create', 'update', 'upsert', 'delete'];

const support = openObject(
  'Which actions work.',
  ['bulkWrite', 'proxy', 'read', 'write', 'subscribe', 'delete', 'search'],
  {
    bulkWrite: openObject('Jobs of their own at the provider.', bulkNames, flagsOf(bulkNames, flag('Used.'))),
    batchWrite: openObject('Several records in one call.', batchNames, flagsOf(batchNames, batch)),
    proxy: flag('Proxy calls.'),
    read: flag('Scheduled reads.'),
    write: flag('Writes.'),
    subscribe: flag('Subscriptions.'),
    delete: flag('Deletion of records.'),
    search: openObject('Searches.', ['operators'], {
      operators: openObject('Operators of a filter.', ['equals'], { equals: flag('`eq`.') }),
    }),
  },
);

const input = listOf(
  'Before the authorization.',
  openObject('One thing.', ['name'], {
    name: text('Its name.'),
    displayName: text('Shown name.'),
    prompt: text('The question.'),
    docsURL: text('Where this is documented.'),
  }),
);

/** Source: RFC 6749. */
const oauth2Opts = openObject(
  'How an authorization is asked for and exchanged.',
  ['grantType', 'tokenURL', 'explicitScopesRequired', 'explicitWorkspaceRequired', 'tokenMetadataFields'],
  {
    grantType: choice('Kind of grant.', [
      'authorizationCode',
      'authorizationCodePKCE',
      'clientCredentials',
      'password',
    ]),
    authURL: text('Where the user consents.'),
    tokenURL: text('Where tokens are issued.'),
    explicitScopesRequired: flag('The builder must name the scopes.'),
    explicitWorkspaceRequired: flag('The user must name the workspace.'),
    tokenMetadataFields: openObject('Members of the token reply.', {
      workspaceRefField: text('The workspace.'),
      consumerRefField: text('The user.'),
      scopesField: text('The granted scopes.'),
      otherFields: listOf('Others that are kept.', { type: 'string' }),
    }),
    docsURL: text('Where this is documented.'),
  },
);

const apiKeyOpts = openObject('Where an API key goes.', ['attachmentType'], {
  attachmentType: choice('Part of the request.', ['query', 'header']),
  header: openObject('The header.', ['name'], {
    name: text('Its name.'),
    valuePrefix: text('The text before the key.'),
  }),
  query: openObject('The query parameter.', ['name'], { name: text('Its name.') }),
  docsURL: text('Where this is documented.'),
});

const basicOpts = openObject('How an API key replaces user name and password.', {
  apiKeyAsBasic: flag('It does.'),
  apiKeyAsBasicOpts: openObject('In which form.', {
    fieldUsed: choice('The part that holds the key.', ['username', 'password']),
    keyFormat: text('The value that is sent, with {key} for the key.'),
  }),
});

export const providerInfoSchema = openObject(
  'The capabilities of a provider.',
  ['name', 'baseURL', 'authType', 'support', 'defaultModule', 'providerOpts'],
  {
    name: text('Name, as integrations and connections spell it.', 'hubspot'),
    displayName: text('Shown name.'),
    baseURL: text('Where calls go; may hold a variable in double braces.'),
    authType: choice('The usual kind of authentication.', ['oauth2', 'apiKey', 'basic', 'jwt', 'custom', 'none']),
    support,
    endedVersions: listOf('Versions of its API that this build asks for and that are over. Absent: none.', {
      type: 'string',
    }),
    defaultModule: text('The module that is meant when none is named.'),
    postAuthInfoNeeded: flag('Something is asked for after the authorization.'),
    labels: mapOf('Labels.', { type: 'string' }),
    metadata: openObject('The values that a user is asked for.', { input }),
    oauth2Opts,
    apiKeyOpts,
    basicOpts,
    providerOpts: mapOf('Always empty.', { type: 'string' }),
  },
) satisfies JsonSchema;

/** Schema of the catalogue in replies: provider name to its entry. */
export const providerCatalogueSchema = mapOf('The providers, by name.', providerInfoSchema) satisfies JsonSchema;
