import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ipFamilyOf, networksOf } from '@sluice/config';

/**
 * Finds from where a connection is used: its other end, or where that is a trusted proxy, the last address in X-Forwarded-For that no trusted proxy has. What
 * stands before it is whatever the client wrote.
 * @returns undefined for a proxy's connection that carries no request, and where the proxy does not say it: that is nobody's
 */
export type ClientAddress = (socket: Socket, req?: IncomingMessage) => string | undefined;

/** @param proxies CIDRs of `SLUICE_TRUSTED_PROXIES` */
export function clientAddress(proxies: readonly string[]): ClientAddress {
  const trusted = networksOf(proxies);
  return ({ remoteAddress = '' }, req) => {
    // Node joins headers of the same name.
    const hops = [...String(req?.headers['x-forwarded-for'] ?? '').split(','), remoteAddress];
    for (const hop of hops.toReversed()) {
      // Some proxies add the port, and a socket for both families has IPv4 in a form of IPv6.
      const address = hop.trim().replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$|^::ffff:([\d.]+)$/i, '$1$2$3');
      const family = ipFamilyOf(address);
      if (family === undefined) return undefined;
      if (!trusted.check(address, family)) return family === 'ipv4' ? address : networkOf(address);
    }
    return undefined;
  };
}

/** Of IPv6 a subscriber has 2^64 addresses at least. Source: RFC 6177, section 2. */
function networkOf(address: string): string {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8).fill('0')].slice(0, 8 - tail.length).concat(tail);
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return first.join(':');
}
