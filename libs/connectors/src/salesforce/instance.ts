const suffix = '.my.salesforce.com';

/**
 * My Domain labels: `acme`, `acme--uat.sandbox`, `acme-dev-ed.develop`. Source: reliability checklist, item 15; label
 * length RFC 1035, section 2.3.4.
 */
const labels = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,3}$/;

/** Where an account's API is, or why it is unknown. */
export type Instance =
  { readonly ok: true; readonly origin: string } | { readonly ok: false; readonly message: string };

/**
 * The origin of an account: `https://{workspaceRef}.my.salesforce.com`, or the override in place of all. A token is sent
 * there, so the URL is parsed again and its host compared. Source: design 6, "where a connection points".
 */
export function instanceOf(workspaceRef: string | undefined, override: string | undefined): Instance {
  if (override !== undefined) return { ok: true, origin: override };
  if (workspaceRef === undefined) return refuse('is not set on the connection');
  const ref = workspaceRef.toLowerCase();
  if (ref.endsWith('.salesforce.com')) return refuse(`must not hold the domain itself, as '${shown(ref)}' does`);
  const host = `${ref}${suffix}`;
  if (!labels.test(ref) || URL.parse(`https://${host}`)?.host !== host) {
    return refuse(`must be labels of letters, digits and hyphens, joined by dots, not '${shown(ref)}'`);
  }
  return { ok: true, origin: `https://${host}` };
}

/**
 * The origin at which an account's tokens are refreshed. A customer's sandbox refreshes at its own origin, because the production login does not know
 * it. Undefined: at the login. Source: reference B1, hosts of OAuth; every sandbox's My Domain has `--` (D).
 */
export function tokenOriginOf(workspaceRef: string | undefined, override: string | undefined): string | undefined {
  if (override !== undefined || !workspaceRef?.includes('--')) return undefined;
  const instance = instanceOf(workspaceRef, override);
  return instance.ok ? instance.origin : undefined;
}

/** The labels of a URL of Salesforce that lies on a My Domain; undefined for every other one. */
export function workspaceRefOf(url: string | undefined): string | undefined {
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  if (!host?.endsWith(suffix)) return undefined;
  const ref = host.slice(0, -suffix.length);
  return labels.test(ref) ? ref : undefined;
}

function refuse(rule: string): Instance {
  return { ok: false, message: `providerWorkspaceRef ${rule}; set it to the part of the My Domain before ${suffix}` };
}

function shown(ref: string): string {
  return ref.slice(0, 80);
}
