import { isIP } from 'node:net';
import { Agent } from 'undici';
import type { WebhookAttemptClass } from '@sluice/types';
import { addressPolicy, type AddressPolicy } from '../egress/address-policy';
import { egressRefused, guardedConnect } from '../egress/guarded-connect';
import { exchange, type Exchange } from '../http-exchange';
import { retryAfterMs } from '../signals';
import { dnsLookup } from './dns-lookup';

/** Bytes of an answer that are read before the connection is cut: its status is what counts. Ours. */
const replyBytesMax = 16 * 1024;
/** Characters of an answer that are kept, to be shown beside the attempt. Ours: enough for a sentence, too little for a page. */
const responseCharactersMax = 256;
/** Longest wait for TCP and TLS. A host that takes longer is not there. */
const connectTimeoutMs = 5_000;

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

/**
 * Posts messages to addresses that builders name. They lead where providers may be: to public addresses over TLS, decided when the
 * connection is made. Follows no redirect, repeats nothing, reads the beginning of an answer, never throws.
 */
export interface WebhookSender {
  /** Why messages cannot go to this URL, as far as its text says. Undefined: they can. */
  refusal(url: string): string | undefined;
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Ends the connections, those of requests in flight too. */
  close(): Promise<void>;
}

/** @throws Error for a CIDR that is none */
export function createWebhookSender({ egressAllow, timeoutMs, nameServers }: WebhookSenderOptions): WebhookSender {
  const policy = addressPolicy(egressAllow);
  const agent = new Agent({
    connect: guardedConnect(
      { timeout: connectTimeoutMs, minVersion: 'TLSv1.2', rejectUnauthorized: true, allowH2: false },
      { policy, trustedOrigins: [], lookup: dnsLookup(nameServers) },
    ),
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    pipelining: 1,
  });
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

function refusalOf(text: string, policy: AddressPolicy, isPlainAllowed: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URL';
  if (url.protocol !== 'https:' && !(isPlainAllowed && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hash !== '') return 'must not hold a fragment';
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  if (isIP(host) !== 0 && policy(host) === undefined) return 'must not be a private or reserved address';
  return undefined;
}

/** A builder who is told which of them it is can find out the names of our network. */
const hasNoAddress: ReadonlySet<string> = new Set([egressRefused, 'ENOTFOUND', 'ENODATA']);
const noPublicAddress = 'the receiver has no public address';

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

/** What `Retry-After` speaks of. Source: RFC 9110, 15.6.4; RFC 6585, 4; Standard Webhooks 1.0.0, "Delivery success and failure". */
function isOverloaded(status: number): boolean {
  return status === 429 || status === 503;
}

/** A connection that did not come about in time, or a name that nobody answered for. */
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
