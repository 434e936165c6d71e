import type { Auth } from '../requests';
import type { Attachment, DeclaredAuth } from './declaration';

/** What a request carries to open an account. */
export interface Attached {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** What a header value may hold: no space, so no line break either. */
const tokenForm = /^[\x21-\x7e]+$/;

const bearer: Attachment = { header: 'authorization', prefix: 'Bearer ' };
const nothing: Attached = { headers: {}, query: {} };

/** The credentials as the file says that they are sent; a text: why they cannot be. */
export function attach(declared: DeclaredAuth, { accessToken, kind = 'oauth2' }: Auth): Attached | string {
  if (kind === 'none') return declared.none ? nothing : 'the connection has no credentials';
  if (!tokenForm.test(accessToken)) return 'the credentials are empty or have characters that no header can carry';
  if (kind === 'basic') {
    return declared.basic ? inHeader('authorization', `Basic ${accessToken}`) : refused('a user name and a password');
  }
  const at = kind === 'apiKey' ? declared.apiKey : declared.oauth2 && (declared.oauth2.token ?? bearer);
  if (at === undefined) return refused(kind === 'apiKey' ? 'an API key' : 'an access token');
  return place(at, accessToken);
}

function place({ header, prefix = '', query, basic }: Attachment, token: string): Attached {
  if (query !== undefined) return { headers: {}, query: { [query]: token } };
  if (header !== undefined) return inHeader(header, prefix + token);
  const pair = (basic ?? '{key}').replace('{key}', () => token);
  return inHeader('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
}

function inHeader(name: string, value: string): Attached {
  return { headers: { [name.toLowerCase()]: value }, query: {} };
}

function refused(what: string): string {
  return `the provider is not opened with ${what}`;
}
