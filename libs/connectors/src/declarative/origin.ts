import type { Auth } from '../requests';
import type { Declaration } from './declaration';
import { fillText, namesIn } from './template';
import { variablesOf } from './variables';

/** Where a request goes, or why that cannot be told. */
export type Origin = { readonly ok: true; readonly origin: string } | { readonly ok: false; readonly message: string };

/**
 * A URL of a file with its variables filled in. A token goes there, so the result is parsed and its host compared with what was
 * meant: `acme.zendesk.com/` in place of a label would else be another host. Source: reliability checklist, item 15.
 * @param override in place of scheme and host, with a path before the URL's own; for the sandbox
 */
export function originOf(
  { hosts = {} }: Pick<Declaration, 'hosts'>,
  url: string,
  texts: Readonly<Record<string, string>>,
  override: string | undefined,
): Origin {
  const [, scheme = '', host = '', path = ''] = /^(https?:\/\/)([^/]*)(\/.*)?$/s.exec(url) ?? [];
  if (override !== undefined) return { ok: true, origin: override.replace(/\/+$/, '') + path };
  const named = fillText(host, texts);
  const filled = (Object.hasOwn(hosts, named) ? hosts[named] : undefined) ?? named;
  const parsed = URL.parse(`${scheme}${filled}${path}`);
  if (parsed?.host !== filled || parsed.username !== '' || parsed.password !== '') {
    return { ok: false, message: `the account's address would be '${filled.slice(0, 80)}', which is no host` };
  }
  return { ok: true, origin: scheme + filled + path };
}

/** A URL of the file beside its base, for an account. */
export function addressOf(
  file: Declaration,
  url: string,
  account: Pick<Auth, 'workspaceRef' | 'metadata'>,
  override: string | undefined,
): Origin {
  const used = new Set(namesIn(url));
  const variables = Object.fromEntries(Object.entries(file.variables ?? {}).filter(([name]) => used.has(name)));
  const values = variablesOf({ ...file, variables }, account);
  return values.ok ? originOf(file, url, values.texts, override) : values;
}
