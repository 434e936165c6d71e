import type { Auth, Connector, Declaration } from '@sluice/connectors';

/** Hosts that a sandbox may have: this machine. What listens there was started by whoever holds the token. */
const loopback = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])$/;

/** Where the account is: at the provider's own address, or in a sandbox. */
export interface Place {
  readonly address: string;
  /** Set for a sandbox. */
  readonly sandbox?: string;
}

/** The provider's own address of an account. @param file of a provider that is one */
export function ownAddress({ catalogue }: Connector, auth: Auth, file: Declaration | undefined): string {
  const given: Readonly<Record<string, string | undefined>> = { workspace: auth.workspaceRef, ...auth.metadata };
  return catalogue.baseURL.replace(
    /\{\{\.(\w+)\}\}/g,
    (_, name: string) => given[name] ?? file?.variables?.[name]?.default ?? `{${name}}`,
  );
}

/**
 * What `--url` names. The access token is sent there, so it is the provider itself or this machine and nothing else.
 * @returns why not, as a sentence
 */
export function placeOf(url: string | undefined, own: string): Place | string {
  if (url === undefined) return { address: own };
  const asked = URL.parse(url);
  if (asked?.protocol !== 'http:' && asked?.protocol !== 'https:') {
    return `--url: must be an http or https address, not '${url}'.`;
  }
  const isPlain = asked.username === '' && asked.password === '';
  if (isPlain && asked.origin === URL.parse(own)?.origin) return { address: own };
  if (isPlain && loopback.test(asked.hostname)) return { address: url, sandbox: url.replace(/\/+$/, '') };
  return (
    `--url: must be a sandbox on this machine (127.0.0.1, localhost, [::1]) or the provider's own ${own}, not '${url}', ` +
    `because the access token would be sent there. Leave --url out for the real account.`
  );
}
