import { type LookupFunction, isIP } from 'node:net';
import { type LookupAddress, NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';
import {
  addressPolicy,
  type AddressPolicy,
  egressRefused,
  exchange,
  type Exchange,
  guardedAgent,
  retryAfterMs,
} from '@sluice/connectors';
import type { WebhookAttemptClass } from '@sluice/types';
import { readLocalNames, type LocalNames } from './local-names';

/** Bytes of an answer that are read before the connection is closed: its status is what counts. Our choice. */
const replyBytesMax = 16 * 1024;
/** Characters of an answer that are kept, to be shown beside the attempt. Our choice: enough for a sentence, too little for a page. */
const responseCharactersMax = 256;

interface WebhookSenderOptions {
  /** Networks (CIDR) that messages may reach although they are private, and without TLS. */
  readonly egressAllow: readonly string[];
  /** Bound of a whole exchange, connecting included, in milliseconds. */
  readonly timeoutMs: number;
  /** Name servers, `address:port`. @default the system's */
  readonly nameServers?: readonly string[];
}

interface WebhookRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is: the signature covers these bytes. */
  readonly body: string;
}

export interface WebhookOutcome {
  readonly class: WebhookAttemptClass;
  /** Absent: no answer. */
  readonly status?: number;
  readonly durationMs: number;
  /** The beginning of the answer, without control characters; when there was no answer, why. */
  readonly response?: string;
  /** An answer 429 or 503 asks for a pause of so many milliseconds, at most 48 hours. */
  readonly retryAfterMs?: number;
}

/** Why a URL is refused, as the end of a sentence, and what allows it where the operator can. */
interface UrlRefusal {
  readonly detail: string;
  readonly remedy?: string;
}

/**
 * Posts messages to addresses that builders name. They lead where providers may be: to public addresses over TLS, decided when the
 * connection is made. Follows no redirect, repeats nothing, reads the beginning of an answer, never throws.
 */
export interface WebhookSender {
  /** Why messages cannot go to this URL, as far as its text says. Undefined: they can. */
  refusal(url: string): UrlRefusal | undefined;
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Ends the connections, those of requests in flight too. */
  close(): Promise<void>;
}

/** @throws Error for a CIDR that is none */
export function createWebhookSender({ egressAllow, timeoutMs, nameServers }: WebhookSenderOptions): WebhookSender {
  const policy = addressPolicy(egressAllow);
  const agent = guardedAgent({ policy, trustedOrigins: [], lookup: dnsLookup(nameServers) });
  const limits = { timeoutMs, bytesMax: replyBytesMax };
  return {
    refusal: (url) => refusalOf(url, policy, egressAllow.length > 0),
    async send({ url, headers, body }) {
      const { origin, pathname, search } = new URL(url);
      const result = await exchange(agent, { origin, method: 'POST', path: pathname + search, headers, body }, limits);
      return toOutcome(result);
    },
    close: () => agent.destroy(),
  };
}

/** The operator's setting that allows private networks, and plain http to them. */
const allowSetting = 'SLUICE_WEBHOOK_EGRESS_ALLOW';

function refusalOf(text: string, policy: AddressPolicy, isPlainAllowed: boolean): UrlRefusal | undefined {
  const url = URL.parse(text);
  if (url === null) return { detail: 'must be an absolute URL' };
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  if (url.protocol !== 'https:' && !(isPlainAllowed && url.protocol === 'http:')) {
    const plain = `Plain http is for networks that the operator allows: ${allowSetting}=${networkOf(host)}.`;
    return { detail: 'must begin with https://', ...(url.protocol === 'http:' && { remedy: plain }) };
  }
  if (url.username !== '' || url.password !== '') return { detail: 'must not hold a user name or a password' };
  if (url.hash !== '') return { detail: 'must not hold a fragment' };
  if (isIP(host) === 0 || policy(host) !== undefined) return undefined;
  const remedy = `Name a public address, or let the operator allow its network: ${allowSetting}=${networkOf(host)}.`;
  return { detail: 'must not be a private or reserved address', remedy };
}

/** The network of one address; for a name, this machine's as an example. */
function networkOf(host: string): string {
  const family = isIP(host);
  return family === 0 ? '127.0.0.1/32' : `${host}/${family === 4 ? 32 : 128}`;
}

/** One text for all of them, because the difference would reveal the names of our network to a builder. */
const hasNoAddress: ReadonlySet<string> = new Set([egressRefused, 'ENOTFOUND', 'ENODATA']);
const noPublicAddress = `the receiver has no public address; the operator allows private networks with ${allowSetting}`;

function toOutcome(result: Exchange): WebhookOutcome {
  const durationMs = Math.round(result.durationMs);
  if (result.kind === 'reply') {
    const { status, bytes, headers } = result;
    const response = printable(bytes);
    const kind = status >= 200 && status < 300 ? 'delivered' : 'refused';
    const askedMs = isOverloaded(status) ? retryAfterMs(headers, Date.now()) : undefined;
    return {
      class: kind,
      status,
      durationMs,
      ...(response === '' ? {} : { response }),
      ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }),
    };
  }
  const { reason } = result;
  if (hasNoAddress.has(reason)) return { class: 'forbidden-address', durationMs, response: noPublicAddress };
  const isTimeout = result.kind === 'no-reply' ? result.fault === 'timeout' : isLate(reason);
  return { class: isTimeout ? 'timeout' : 'unreachable', durationMs, response: reason };
}

/** Statuses with which `Retry-After` is defined. Source: RFC 9110, 15.6.4; RFC 6585, 4; Standard Webhooks 1.0.0, "Delivery success and failure". */
function isOverloaded(status: number): boolean {
  return status === 429 || status === 503;
}

/** A connection that was not made in time, or a name that did not resolve in time. */
function isLate(reason: string): boolean {
  return reason === 'UND_ERR_CONNECT_TIMEOUT' || reason === 'ETIMEOUT' || reason.startsWith('no reply within');
}

/** Control characters would reach a terminal or break a text of Postgres. */
function printable(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 4 * responseCharactersMax));
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, responseCharactersMax)
    .toWellFormed();
}

/** First wait for a name server, and how often it is asked: 3 s together (the second wait is twice as long), below the wait for a connection. */
const serverWaitMs = 1_000;
const tries = 2;

/**
 * Resolves names by asking DNS itself. `dns.lookup` waits in the process's threads (libuv has four, and gives lookups two). Builders name these
 * hosts, so a few names whose servers hang would hold up everybody's. Here a question is a socket, and any number may hang. As in the system,
 * /etc/hosts comes first, and a name that DNS does not have is tried with the domains of /etc/resolv.conf. So `localhost` and the names of services
 * in a cluster work. Other sources of nsswitch.conf (mDNS, LDAP) are not asked. ADR 25.
 * @param servers `address:port` @default those of the system
 */
function dnsLookup(servers?: readonly string[]): LookupFunction {
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
