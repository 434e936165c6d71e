import { BlockList, isIP } from 'node:net';

/**
 * The networks that a setting lists.
 * @param cidrs such as `10.0.0.0/8` or `fd00::/8`
 * @throws Error for one that is none
 */
export function networksOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/');
    const family = ipFamilyOf(network);
    const bits = Number(prefix);
    const isPrefix = /^\d{1,3}$/.test(prefix) && bits <= (family === 'ipv4' ? 32 : 128);
    if (family === undefined || !isPrefix) throw new Error(`'${cidr}' is no network such as 10.0.0.0/8`);
    list.addSubnet(network, bits, family);
  }
  return list;
}

/** @returns undefined for what is no address of the internet */
export function ipFamilyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  // A scope (fe80::1%eth0) names an interface of this machine: nothing on the internet has one.
  const family = address.includes('%') ? 0 : isIP(address);
  return family === 4 ? 'ipv4' : family === 6 ? 'ipv6' : undefined;
}
