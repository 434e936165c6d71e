import { isHeaderToken } from '../provider-call';
import type { Auth } from '../requests';
import type { Attachment, DeclaredAuth } from './declaration';

/** What a request carries to open an account. */
interface Attached {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const bearer: Attachment = { header: 'authorization', prefix: 'Bearer ' };
const nothing: Attached = { headers: {}, query: {} };

/** The credentials in the form that the file declares; a text: why they cannot be sent. */
export function attach(declared: DeclaredAuth, { accessToken, kind = 'oauth2' }: Auth): Attached | string {
  if (kind === 'none') return declared.none ? nothing : 'the connection has no credentials';
  if (!isHeaderToken(accessToken)) return 'the credentials are empty or have characters that no header can carry';
  if (kind === 'basic') return attachPair(declared, accessToken);
  const at = kind === 'apiKey' ? declared.apiKey : declared.oauth2 && (declared.oauth2.token ?? bearer);
  if (at === undefined) return refused(kind === 'apiKey' ? 'an API key' : 'an access token');
  return attachToken(at, accessToken);
}

/** @param pair user name and password, as RFC 7617 encodes them */
function attachPair({ basic, apiKey }: DeclaredAuth, pair: string): Attached | string {
  if (basic) return inHeader('authorization', `Basic ${pair}`);
  if (apiKey?.basic === undefined) return refused('a user name and a password');
  const [username = '', ...rest] = Buffer.from(pair, 'base64').toString().split(':');
  const member = keyMember(apiKey.basic);
  const key = member === 'username' ? username : rest.join(':');
  return key === '' ? `the API key, which is the ${member} here, is empty` : attachToken(apiKey, key);
}

/** The position of the key in a form such as `{key}:X`: a form with user name and password takes the key there. */
export function keyMember(form: string): 'username' | 'password' {
  return form.indexOf('{key}') > form.indexOf(':') ? 'password' : 'username';
}

function attachToken({ header, prefix = '', query, basic }: Attachment, token: string): Attached {
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
