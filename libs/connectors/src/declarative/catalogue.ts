import { workspaceInput, type ProviderInfo } from '@sluice/types';
import type { CatalogueEntry } from '../connector';
import { keyMember } from './attach-auth';
import type { Attachment, Declaration, DeclaredOAuth2 } from './declaration';

/** The provider in the catalogue. An API key that is sent as user name and password is `basic` there, with its form. */
export function catalogueOf(file: Declaration): CatalogueEntry {
  const { displayName, baseUrl, auth, variables = {} } = file;
  const input = Object.entries(variables).map(([name, { displayName: shown, prompt }]) => ({
    name: publishedName(file, name),
    ...(shown !== undefined && { displayName: shown }),
    ...(prompt !== undefined && { prompt }),
  }));
  const key = auth.apiKey && toKeyOptions(auth.apiKey);
  return {
    displayName,
    baseURL: braced(file, baseUrl),
    authType: authTypeOf(file),
    defaultModule: '',
    ...(input.length > 0 && { metadata: { input } }),
    ...(auth.oauth2 && { oauth2Opts: toOAuth2Options(file, auth.oauth2) }),
    ...key,
  };
}

/** The catalogue writes variables in double braces, with a dot. */
function braced(file: Declaration, url: string): string {
  return url.replace(/\{(\w+)\}/g, (_, name: string) => `{{.${publishedName(file, name)}}}`);
}

/** Published clients know the workspace by one name, whatever a file calls it. */
function publishedName({ variables = {} }: Declaration, name: string): string {
  return Object.hasOwn(variables, name) && variables[name]?.from === 'workspace' ? workspaceInput : name;
}

function authTypeOf({ auth }: Declaration): ProviderInfo['authType'] {
  if (auth.oauth2) return 'oauth2';
  if (auth.apiKey) return auth.apiKey.basic === undefined ? 'apiKey' : 'basic';
  return auth.basic ? 'basic' : 'none';
}

function toKeyOptions({ header, prefix, query, basic }: Attachment): Pick<CatalogueEntry, 'apiKeyOpts' | 'basicOpts'> {
  if (basic !== undefined) {
    const apiKeyAsBasicOpts = { fieldUsed: keyMember(basic), keyFormat: basic };
    return { basicOpts: { apiKeyAsBasic: true, apiKeyAsBasicOpts } };
  }
  if (query !== undefined) return { apiKeyOpts: { attachmentType: 'query', query: { name: query } } };
  const named = { name: header ?? 'Authorization', ...(prefix !== undefined && { valuePrefix: prefix }) };
  return { apiKeyOpts: { attachmentType: 'header', header: named } };
}

function toOAuth2Options(
  file: Declaration,
  { grants, authorizeUrl, tokenUrl }: DeclaredOAuth2,
): NonNullable<ProviderInfo['oauth2Opts']> {
  const { variables = {}, docsUrl } = file;
  return {
    grantType: grants[0] ?? 'authorizationCode',
    ...(authorizeUrl !== undefined && { authURL: braced(file, authorizeUrl) }),
    tokenURL: braced(file, tokenUrl),
    explicitScopesRequired: true,
    explicitWorkspaceRequired: Object.values(variables).some(({ from }) => from === 'workspace'),
    tokenMetadataFields: { scopesField: 'scope' },
    ...(docsUrl !== undefined && { docsURL: docsUrl }),
  };
}

/** Whether an input of the catalogue has a value where the customer gives none. */
export function hasDefault(file: Declaration, input: string): boolean {
  return Object.entries(file.variables ?? {}).some(
    ([name, { default: value }]) => publishedName(file, name) === input && value !== undefined,
  );
}
