import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent as AgentType, buildConnector as connector } from 'undici';
import { Agent, buildConnector } from '../http-agent';
import type { AddressPolicy } from './address-policy';

/** What connections may reach. */
export interface Egress {
  /** Origins that the operator set: reached whatever their address, and also without TLS. */
  readonly trustedOrigins: readonly string[];
  readonly policy: AddressPolicy;
  /** Resolves names. @default the system's */
  readonly lookup?: LookupFunction;
}

/** What an exchange reports of a connection that was refused before a packet left. */
export const egressRefused = 'EGRESS_REFUSED';

class EgressError extends Error {
  readonly code = egressRefused;

  constructor() {
    super('nothing may be sent to this address');
    this.name = 'EgressError';
  }
}

/** Longest wait for TCP and TLS. A host that takes longer is not there. */
const connectTimeoutMs = 5_000;

/**
 * Keeps connections of HTTP/1.1 to where providers may be. HTTP/2 is off: one broken connection would leave every write that shares it in doubt.
 * Certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says. It has no clock of its own: that of an exchange bounds headers and body
 * together, so that a slow trickle cannot stretch the call.
 */
export function guardedAgent(egress: Egress): AgentType {
  const options = {
    timeout: connectTimeoutMs,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    allowH2: false,
  } as const;
  const connect = guardedConnect(options, egress);
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 });
}

/**
 * Connects where providers may be. A name is resolved once, refused addresses are removed, and the connection is made to one of the rest. So a name
 * that resolves differently the next time gains nothing. What is no trusted origin is reached over TLS, or at an address that the operator named.
 * Source: reliability checklist, items 16, 17; design 6, "where a connection points".
 */
function guardedConnect(options: connector.BuildOptions, egress: Egress): connector.connector {
  const trusted = new Set(egress.trustedOrigins);
  const connectTrusted = buildConnector(options);
  const guarded = (isAllowed: (address: string) => boolean) => ({
    isAllowed,
    connect: buildConnector({ ...options, lookup: guardedLookup(egress.lookup, isAllowed) }),
  });
  const withTls = guarded((address) => egress.policy(address) !== undefined);
  const withoutTls = guarded((address) => egress.policy(address) === 'named');
  return (target, callback) => {
    if (trusted.has(originOf(target))) return connectTrusted(target, callback);
    const { isAllowed, connect } = target.protocol === 'https:' ? withTls : withoutTls;
    // An IP address is connected to as it is written, without a lookup.
    if (isIP(target.hostname) === 0 || isAllowed(target.hostname)) return connect(target, callback);
    // Never before connect returns: undici does not expect it.
    process.nextTick(() => callback(new EgressError(), null));
  };
}

function guardedLookup(lookup: LookupFunction = systemLookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const all: string | LookupAddress[] = found;
      const addresses = typeof all === 'string' ? [] : all.filter(({ address }) => isAllowed(address));
      const [first] = addresses;
      if (first === undefined) return callback(new EgressError(), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

function originOf({ protocol, hostname, port }: connector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return URL.parse(`${protocol}//${host}${port ? `:${port}` : ''}`)?.origin ?? '';
}
