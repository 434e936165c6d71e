import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ipFamilyOf, networksOf } from '@sluice/config';

/**
 * Finds from where a connection is used: its other end, or where that is a trusted proxy, the last address in X-Forwarded-For that no trusted proxy has. What
 * stands before it is whatever the client wrote.
 */
export interface ClientAddresses {
  /** @returns undefined for a proxy's, which carries the requests of many */
  ofConnection(socket: Socket): string | undefined;
  /** @returns undefined where the proxy does not say it: its own requests are nobody's */
  ofRequest(req: IncomingMessage): string | undefined;
}

/** @param proxies CIDRs of `SLUICE_TRUSTED_PROXIES` */
export function clientAddresses(proxies: readonly string[]): ClientAddresses {
  const trusted = networksOf(proxies);
  const isProxy = (address: string): boolean => {
    const family = ipFamilyOf(address);
    return family !== undefined && trusted.check(address, family);
  };
  const ofConnection = ({ remoteAddress }: Socket): string | undefined => {
    const address = addressIn(remoteAddress ?? '');
    return address === undefined || isProxy(address) ? undefined : ownerOf(address);
  };
  const ofRequest = ({ socket, headers }: IncomingMessage): string | undefined => {
    const direct = ofConnection(socket);
    if (direct !== undefined) return direct;
    // Node joins headers of the same name.
    for (const hop of String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .reverse()) {
      const address = addressIn(hop.trim());
      if (address === undefined) return undefined;
      if (!isProxy(address)) return ownerOf(address);
    }
    return undefined;
  };
  return { ofConnection, ofRequest };
}

/** Some proxies add the port. IPv4 also in the form in which a socket for both families has it. */
const written = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+)(?::\d+)?|(?:::ffff:)([\d.]+)|(.*))$/i;

function addressIn(text: string): string | undefined {
  const [, bracketed, v4, mapped, other] = written.exec(text) ?? [];
  const address = bracketed ?? v4 ?? mapped ?? other ?? '';
  return isIP(address) === 0 ? undefined : address;
}

/** Of IPv6 a subscriber has 2^64 addresses at least. Source: RFC 6177, section 2. */
function ownerOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0);
  const groups = [...(first ?? []), ...Array<string>(Math.max(0, zeros)).fill('0'), ...(last ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
