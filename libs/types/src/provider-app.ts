import {
  closedObject,
  listOf,
  mapOf,
  maskOf,
  momentText,
  nameText,
  openObject,
  scopeText,
  secretText,
  text,
  type Described,
} from './json-schema';

/** An OAuth app of the builder at a provider. Its secret is never returned. Source: specification, Provider App. */
export interface ProviderApp {
  readonly id: string;
  readonly projectId: string;
  /** The provider's id for the app. */
  readonly externalRef?: string;
  readonly provider: string;
  readonly clientId: string;
  readonly scopes?: readonly string[];
  readonly metadata?: ProviderAppMetadata;
  readonly createTime: string;
  readonly updateTime?: string;
}

const shared = {
  externalRef: { ...nameText, description: "The provider's id for the app." },
  provider: { ...nameText, description: 'The SaaS provider.' },
  clientId: { ...nameText, description: 'OAuth client id.' },
  scopes: listOf('OAuth scopes.', scopeText),
  metadata: closedObject('Provider-specific values.', {
    authQueryParams: mapOf('Extra query parameters of the authorization URL.', {
      type: 'array',
      items: { type: 'string' },
    }),
    providerParams: mapOf('Provider-specific values.', { type: 'string' }),
  }),
} as const;
export type ProviderAppMetadata = Described<typeof shared.metadata>;

const writable = {
  ...shared,
  clientSecret: { ...secretText, maxLength: 4096, description: 'OAuth client secret.' },
} as const;

export const providerAppSchema = openObject(
  'An OAuth app of the builder.',
  ['id', 'projectId', 'provider', 'clientId', 'createTime'],
  {
    id: text('Id of the app.'),
    projectId: text('Project of the app.'),
    ...shared,
    createTime: momentText('When it was created.'),
    updateTime: momentText('When it was last changed.'),
  },
);

export const createProviderAppRequestSchema = closedObject(
  'A new app.',
  ['provider', 'clientId', 'clientSecret'],
  writable,
);
export type CreateProviderAppRequest = Described<typeof createProviderAppRequestSchema>;

export const updateProviderAppRequestSchema = closedObject(
  'Changes of an app; only what updateMask names is used.',
  ['updateMask', 'providerApp'],
  {
    updateMask: maskOf(['externalRef', 'clientId', 'clientSecret', 'provider', 'scopes', 'metadata']),
    providerApp: closedObject('The new values.', writable),
  },
);
export type UpdateProviderAppRequest = Described<typeof updateProviderAppRequestSchema>;
