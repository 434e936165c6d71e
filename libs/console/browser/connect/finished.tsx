import type { ConnectViewSession } from '@sluice/types';
import { useEffect } from 'preact/hooks';
import { Say, texts, type Names } from './texts';

interface FinishedOptions {
  readonly session: ConnectViewSession;
  readonly token: string;
  readonly names: Names;
}

/**
 * Everything is done. The window that opened the page hears it, if it is of the builder's origin, and closes this one. Where there is none, or a provider
 * has cut it off, this window goes back to the builder's page, with the same in the address.
 */
export function Finished({ session, token, names }: FinishedOptions) {
  const { account, failure, returnUrl, installationId = '', connectionId = '' } = session;
  const leave = async (address: URL): Promise<void> => {
    const opener = window.opener as Window | null;
    const message = { eventType: 'CONNECT_FINISHED', data: { installationId, connectionId } };
    if (opener !== null) return opener.postMessage(message, address.origin);
    address.searchParams.set('connectSession', await nameOf(token));
    location.replace(address);
  };
  const address = returnUrl === undefined ? undefined : new URL(returnUrl);
  address?.searchParams.set('installationId', installationId);
  address?.searchParams.set('connectionId', connectionId);
  useEffect(() => {
    // Another tab gave another account, and the customer is to read which one is used.
    if (address !== undefined && failure === undefined) void leave(new URL(address));
  }, []);
  return (
    <>
      <p>
        <Say text={texts.done} names={names} />
      </p>
      {account === undefined ? null : (
        <p class="soft">
          <Say text={texts.account} names={names} />
        </p>
      )}
      {address === undefined ? null : (
        <p class="actions">
          <a class="button primary" href={address.href}>
            <Say text={texts.back} names={names} />
          </a>
        </p>
      )}
    </>
  );
}

/** What names a session in an address, and opens nothing: the beginning of SHA-256 of its token. The client makes the same. */
async function nameOf(token: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)));
  return Array.from(digest.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
