import { NODATA, NOTFOUND, type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { readLocalNames, type LocalNames } from './local-names';

/** First wait for a name server, and how often it is asked: 3 s together (the second wait is twice as long), below the wait for a connection. */
const serverWaitMs = 1_000;
const tries = 2;

/**
 * Resolves names by asking DNS itself. `dns.lookup` waits in the process's threads (libuv has four, and gives lookups two), so a few names
 * whose servers hang hold up everybody's: builders name these hosts. Here a question is a socket, and any number may hang. As the system does,
 * /etc/hosts comes first, and a name that DNS does not have is tried with the domains of /etc/resolv.conf: `localhost` and the names of
 * services in a cluster work. Other sources of nsswitch.conf (mDNS, LDAP) are not asked. ADR 25.
 * @param servers `address:port` @default those of the system
 */
export function dnsLookup(servers?: readonly string[]): LookupFunction {
  const resolved = callbackify((hostname: string) => resolve(hostname, servers));
  return (hostname, { all }, callback) => {
    resolved(hostname, (error, found) => {
      const [first] = found ?? [];
      if (error !== null || first === undefined) return callback(error, []);
      return all ? callback(null, found) : callback(null, first.address, first.family);
    });
  };
}

/** @returns at least one address @throws an error of DNS, with its code */
async function resolve(hostname: string, servers: readonly string[] | undefined): Promise<LookupAddress[]> {
  const names = await readLocalNames();
  const local = names.addressesOf(hostname);
  if (local.length > 0) return local;
  // One for each question: it has the servers that the system has now.
  const resolver = new Resolver({ timeout: serverWaitMs, tries });
  if (servers !== undefined) resolver.setServers(servers);
  return await firstKnown(resolver, names.candidates(hostname));
}

async function firstKnown(resolver: Resolver, names: ReturnType<LocalNames['candidates']>): Promise<LookupAddress[]> {
  let missing: unknown;
  for (const name of names) {
    try {
      return await askBoth(resolver, name);
    } catch (error) {
      if (!isMissing(error)) throw error;
      missing ??= error;
    }
  }
  throw missing;
}

/** Both families; one that fails does not matter when the other answers. IPv4 first, as undici tries them in turn anyway. */
async function askBoth(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [v4, v6].flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  );
  if (addresses.length > 0) return addresses;
  const reasons = [v4, v6].flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  throw reasons.find((reason) => !isMissing(reason)) ?? reasons[0];
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === NOTFOUND || code === NODATA;
}
