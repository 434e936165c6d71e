import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** The names that this machine's own files resolve, beside DNS. */
export interface LocalNames {
  /** Of /etc/hosts; `localhost` and what ends with it is this machine in any case (RFC 6761, 6.3). */
  addressesOf(name: string): LookupAddress[];
  /** The names that DNS is asked for, one after the other: as it is if it has a dot, then with each search domain. */
  candidates(name: string): readonly string[];
}

/** Read each time: the files are small, and both change while a process runs. A missing file counts as empty. */
export async function readLocalNames(): Promise<LocalNames> {
  const [hosts, resolvConf] = await Promise.all([textOf('/etc/hosts'), textOf('/etc/resolv.conf')]);
  return parseLocalNames(hosts, resolvConf);
}

/** @param hosts text of /etc/hosts, see hosts(5) @param resolvConf text of /etc/resolv.conf, see resolv.conf(5) */
export function parseLocalNames(hosts: string, resolvConf: string): LocalNames {
  const known = readHosts(hosts);
  const domains = readSearch(resolvConf);
  return {
    addressesOf: (name) => {
      const plain = plainName(name);
      const found = known.get(plain) ?? [];
      if (found.length > 0 || !(plain === 'localhost' || plain.endsWith('.localhost'))) return found;
      return [toAddress('127.0.0.1'), toAddress('::1')];
    },
    // A name that is more than a word comes as it is first, whatever "ndots" says: what builders name stands in the internet.
    candidates: (name) => {
      if (name.endsWith('.')) return [name.slice(0, -1)];
      const searched = domains.map((domain) => `${name}.${domain}`);
      return name.includes('.') ? [name, ...searched] : [...searched, name];
    },
  };
}

function readHosts(text: string): Map<string, LookupAddress[]> {
  const known = new Map<string, LookupAddress[]>();
  for (const [address = '', ...names] of wordsOf(text)) {
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const plain = plainName(name);
      known.set(plain, [...(known.get(plain) ?? []), toAddress(address)]);
    }
  }
  return known;
}

/** The last of `search` and `domain` counts. */
function readSearch(text: string): readonly string[] {
  const lines = wordsOf(text).filter(([word]) => word === 'search' || word === 'domain');
  return (lines.at(-1) ?? []).slice(1).flatMap((domain) => plainName(domain) || []);
}

function wordsOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}

const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');
const toAddress = (address: string): LookupAddress => ({ address, family: isIP(address) });

async function textOf(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
