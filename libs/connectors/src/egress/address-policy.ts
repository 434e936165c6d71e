import { ipFamilyOf, networksOf } from '@sluice/config';

/**
 * IPv4 networks that no public provider uses. This host, private, shared (CGNAT), link-local with the metadata services of clouds, protocol
 * assignments. Documentation, 6to4 relays, benchmarks, multicast, reserved. Source: IANA special-purpose registry (RFC 6890); reliability checklist,
 * item 16.
 */
const refusedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/**
 * Of IPv6 only global unicast is reached, so loopback, IPv4-mapped, NAT64, unique local, link-local and multicast are not. In it
 * these are refused: protocol assignments with Teredo, documentation, 6to4. Source: RFC 4291, 2.4; IANA registry.
 */
const unicastV6 = '2000::/3';
const refusedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/**
 * What an address is to us: `public`; `named` by the operator, who answers for it; undefined: nothing may be sent there.
 */
export type AddressPolicy = (address: string) => 'public' | 'named' | undefined;

/**
 * Public addresses, and the networks that the operator names.
 * @param allow CIDRs of `SLUICE_EGRESS_ALLOW`
 * @throws Error for a CIDR that is none
 */
export function addressPolicy(allow: readonly string[]): AddressPolicy {
  const named = networksOf(allow);
  const refused = networksOf([...refusedV4, ...refusedV6]);
  const unicast = networksOf([unicastV6]);
  return (address) => {
    const family = ipFamilyOf(address);
    if (family === undefined) return undefined;
    if (named.check(address, family)) return 'named';
    if (refused.check(address, family)) return undefined;
    return family === 'ipv4' || unicast.check(address, family) ? 'public' : undefined;
  };
}
