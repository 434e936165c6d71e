import { describeError } from './describe-error';

const mask = '[secret]';

/** Compared in lower case without `-` and `_`, so `X-Api-Key`, `apiKey` and `api_key` are one name. */
const secretNames = new Set([
  'accesstoken',
  'apikey',
  'authorization',
  'bearer',
  'clientsecret',
  'cookie',
  'credentials',
  'idtoken',
  'password',
  'proxyauthorization',
  'refreshtoken',
  'secret',
  'setcookie',
  'token',
  'xapikey',
]);

/** Deeper values are cut: a log line is for reading, and a cycle must end. */
const depthMax = 6;

const bearer = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
const userinfo = /:\/\/[^\s/@]+@/g;
const assigned = /\b(access_token|refresh_token|client_secret|password|hapikey)=[^\s&"']+/gi;

/**
 * Masks secrets inside free text: bearer and basic credentials, userinfo of a URL, tokens in a query string.
 * A net under the rule that such text is not logged at all.
 */
export function redactText(text: string): string {
  if (text.length < 9) return text;
  return text.replace(bearer, `$1 ${mask}`).replace(userinfo, `://${mask}@`).replace(assigned, `$1=${mask}`);
}

/**
 * A copy of log fields with secrets masked: by name at any depth (authorization, x-api-key, token, accessToken,
 * refreshToken, apiKey, password, clientSecret, cookie, however spelled), and inside strings by their form.
 * Errors become plain objects, bytes become their length, values deeper than six levels are cut.
 */
export function redactSecrets(fields: object): Record<string, unknown> {
  return redactMembers(fields, 0);
}

function redactMembers(value: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    copy[name] = isSecretName(name) && member !== undefined && member !== null ? mask : redactValue(member, depth + 1);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= depthMax) return '[cut]';
  if (value instanceof Error) return redactMembers(describeError(value), depth);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  if (value instanceof Map) return redactMembers(Object.fromEntries(value), depth);
  if (value instanceof Set) return [...value].map((item) => redactValue(item, depth + 1));
  return redactMembers(value, depth);
}

function isSecretName(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[-_]/g, ''));
}
