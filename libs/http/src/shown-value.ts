/** Members whose values are secrets wherever they stand. Compared without case, `-` and `_`. */
const secretNames = new Set([
  'token',
  'accesstoken',
  'refreshtoken',
  'apikey',
  'xapikey',
  'password',
  'clientsecret',
  'secret',
  'authorization',
  'credentials',
  // Where a private key stands by mistake.
  'publickeypem',
  // Objects of a connection that hold some.
  'customauth',
  'basicauth',
  'oauth2authorizationcode',
  'oauth2clientcredentials',
  'oauth2passwordcredentials',
]);

/** Longest text that is shown. */
const lengthMax = 80;

/**
 * What may be shown of a refused value: texts shortened, lists and objects by their size only (they can hold secrets),
 * nothing at all below a member that names a secret.
 */
export function shownValue(value: unknown, steps: readonly (string | number)[]): { readonly value?: unknown } {
  if (value === undefined || isBelowSecret(steps)) return {};
  if (typeof value === 'string') return { value: value.length > lengthMax ? `${cut(value)}…` : value };
  if (Array.isArray(value)) return { value: `list of ${value.length}` };
  if (typeof value === 'object' && value !== null) return { value: `object of ${Object.keys(value).length}` };
  return { value };
}

/** Whether a path leads to a member that names a secret, or into one. */
export function isBelowSecret(steps: readonly (string | number)[]): boolean {
  return steps.some((step) => typeof step === 'string' && isSecret(step));
}

function isSecret(name: string): boolean {
  return secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
}

/** Not in the middle of a surrogate pair. */
function cut(text: string): string {
  return text.slice(0, lengthMax).toWellFormed();
}
