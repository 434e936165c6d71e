import type { Auth } from '@sluice/connectors';
import type { LiveCredentials } from '@sluice/types';

/** What a connector opens the account with: an access token, or an API key in its place. */
export function authOf({ credentials, workspaceRef }: LiveCredentials): Auth {
  const accessToken = credentials.accessToken ?? credentials.apiKey ?? '';
  return { accessToken, ...(workspaceRef === undefined ? {} : { workspaceRef }) };
}
