import type { CatalogueEntry } from '../connector';

/** HubSpot in the catalogue. Source: reference A1. A private app's key goes where an access token goes. */
export const hubspotCatalogue: CatalogueEntry = {
  displayName: 'HubSpot',
  baseURL: 'https://api.hubapi.com',
  authType: 'oauth2',
  defaultModule: '',
  oauth2Opts: {
    grantType: 'authorizationCode',
    authURL: 'https://app.hubspot.com/oauth/authorize',
    tokenURL: 'https://api.hubapi.com/oauth/v1/token',
    explicitScopesRequired: true,
    explicitWorkspaceRequired: false,
    tokenMetadataFields: { workspaceRefField: 'hub_id', consumerRefField: 'user_id', scopesField: 'scopes' },
  },
  apiKeyOpts: { attachmentType: 'header', header: { name: 'Authorization', valuePrefix: 'Bearer ' } },
};
