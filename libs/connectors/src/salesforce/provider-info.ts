import type { CatalogueEntry } from '../connector';

/** Salesforce in the catalogue. Source: reference B1. */
export const salesforceCatalogue: CatalogueEntry = {
  displayName: 'Salesforce',
  baseURL: 'https://{{.workspace}}.my.salesforce.com',
  authType: 'oauth2',
  defaultModule: '',
  metadata: {
    input: [
      {
        name: 'workspace',
        displayName: 'My Domain',
        prompt: 'The first part of the address of your Salesforce: acme of acme.my.salesforce.com.',
      },
    ],
  },
  oauth2Opts: {
    grantType: 'authorizationCode',
    authURL: 'https://{{.workspace}}.my.salesforce.com/services/oauth2/authorize',
    tokenURL: 'https://{{.workspace}}.my.salesforce.com/services/oauth2/token',
    explicitScopesRequired: false,
    explicitWorkspaceRequired: true,
    tokenMetadataFields: {
      workspaceRefField: 'instance_url',
      consumerRefField: 'id',
      scopesField: 'scope',
      otherFields: [],
    },
  },
};
