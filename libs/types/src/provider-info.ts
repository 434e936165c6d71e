import { choice, flag, listOf, mapOf, openObject, text, type JsonSchema, type Described } from './json-schema';

const batch = openObject('Whether several records go in one call.', ['supported'], {
  supported: flag('They do.'),
  defaultRecordLimit: { type: 'integer', minimum: 1, description: 'Records of one call.' },
});
const bulkNames = ['insert', 'update', 'upsert', 'delete'] as const;
const batchNames = ['create', 'update', 'upsert', 'delete'] as const;
const eachOf = <Name extends string, T>(names: readonly Name[], of: T) =>
  Object.fromEntries(names.map((name) => [name, of])) as Record<Name, T>;

const support = openObject(
  'Which actions work.',
  ['bulkWrite', 'proxy', 'read', 'write', 'subscribe', 'delete', 'search'],
  {
    // Jobs of their own, which we do not use.
    bulkWrite: openObject('Jobs of their own at the provider.', bulkNames, eachOf(bulkNames, flag('Used.'))),
    batchWrite: openObject('Several records in one call.', batchNames, eachOf(batchNames, batch)),
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
    redirectURL: text('Where the provider sends customers back to: the address that is registered with the app there.'),
    scopes: listOf(
      'The scopes that an app needs. Absent where the provider has none, or we know of none.',
      openObject('One scope.', ['scope', 'neededFor', 'purpose'], {
        scope: text('Its name; `{object}` in it stands for the name of an object.'),
        neededFor: choice(
          'What needs it: any connection, each object of an integration, or each object that is written.',
          ['connection', 'object', 'write'],
        ),
        purpose: text('What it allows.'),
      }),
    ),
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
    // `https://{{.workspace}}.my.salesforce.com`.
    baseURL: text('Where calls go; may hold a variable in double braces.'),
    authType: choice('The usual kind of authentication.', ['oauth2', 'apiKey', 'basic', 'jwt', 'custom', 'none']),
    support,
    endedVersions: listOf('Versions of its API that this build asks for and that are over. Absent: none.', {
      type: 'string',
    }),
    // Empty: the provider has none.
    defaultModule: text('The module that is meant when none is named.'),
    postAuthInfoNeeded: flag('Something is asked for after the authorization.'),
    labels: mapOf('Labels.', { type: 'string' }),
    metadata: openObject('The values that a user is asked for.', { input }),
    oauth2Opts,
    apiKeyOpts,
    basicOpts,
    // Older published clients refuse a reply without it.
    providerOpts: mapOf('Always empty.', { type: 'string' }),
  },
) satisfies JsonSchema;
/** What can be done with a provider, according to the catalogue. Source: published API, ProviderInfo. */
export type ProviderInfo = Described<typeof providerInfoSchema>;
export type ProviderSupport = ProviderInfo['support'];

/** Schema of the catalogue in replies: provider name to its entry. */
export const providerCatalogueSchema = mapOf('The providers, by name.', providerInfoSchema) satisfies JsonSchema;
