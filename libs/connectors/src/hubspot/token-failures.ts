import type { FailureClass } from '@sluice/errors';
import { retryAfterMs, decide, type SignalRow } from '../signals';
import { textOf, type Json } from './wire';

/** What is known of a token refresh that gave no tokens. */
export interface TokenSignal {
  /** Absent: no status line arrived. */
  readonly status?: number;
  readonly isTimeout: boolean;
  /** The reply arrived whole and its body could be read as far as there is one. */
  readonly isWhole: boolean;
  /** The body's `error`, the OAuth word: `invalid_grant`. */
  readonly error?: string;
  /** The body's `status`, HubSpot's word: `BAD_REFRESH_TOKEN`. */
  readonly code?: string;
}

const transient = [408, 423, 425];
const is4xx = ({ status = 0 }: TokenSignal) => status >= 400 && status < 500;

/** First match decides: the HTTP status wins over the body, `error` over `status`. Source: reference A1, Refresh failures. */
export const tokenTable: readonly SignalRow<TokenSignal>[] = [
  {
    signal: 'no whole reply within the call timeout',
    matches: (s) => s.isTimeout,
    class: 'timeout',
    basis: 'recorded',
    source: 'providers.md, A1: no response is transient',
  },
  {
    signal: 'no reply',
    matches: (s) => s.status === undefined,
    class: 'unavailable',
    basis: 'recorded',
    source: 'providers.md, A1: no response is transient',
  },
  {
    signal: '429',
    matches: (s) => s.status === 429,
    class: 'quota',
    waitMs: 10_000,
    basis: 'documented',
    source: 'providers.md, A1, A8',
  },
  {
    signal: '477',
    matches: (s) => s.status === 477,
    class: 'unavailable',
    waitMs: 60_000,
    basis: 'documented',
    source: 'providers.md, A1, A8',
  },
  {
    signal: '408, 423, 425, 5xx',
    matches: ({ status = 0 }) => transient.includes(status) || status >= 500,
    class: 'unavailable',
    waitMs: 2_000,
    basis: 'documented',
    source: 'providers.md, A1: also a 503 that carries invalid_grant',
  },
  {
    signal: 'a reply that is cut off or cannot be read',
    matches: (s) => !s.isWhole,
    class: 'unavailable',
    basis: 'assumed',
    source: 'providers.md, A1: says nothing of the grant',
  },
  {
    signal: '2xx without an access token',
    matches: ({ status = 0 }) => status < 300,
    class: 'unavailable',
    basis: 'assumed',
    source: 'providers.md, A1: says nothing of the grant',
  },
  {
    signal: '4xx, error invalid_grant or access_denied',
    matches: (s) => is4xx(s) && (s.error === 'invalid_grant' || s.error === 'access_denied'),
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, A1: revoked, expired, uninstalled',
  },
  {
    signal: '4xx, another error',
    matches: (s) => is4xx(s) && s.error !== undefined,
    class: 'rejected',
    basis: 'assumed',
    source: 'providers.md, A1: the app is set up wrongly; no connection is blamed',
  },
  {
    signal: '4xx, status BAD_REFRESH_TOKEN or BAD_HUB',
    matches: (s) => is4xx(s) && (s.code === 'BAD_REFRESH_TOKEN' || s.code === 'BAD_HUB'),
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, A1',
  },
  {
    signal: 'whatever is in no row (401, 403, a page)',
    matches: () => true,
    class: 'rejected',
    basis: 'assumed',
    source: 'the default: A1, "treat as app config, not as revocation"',
  },
];

/** Class and wait of a refresh that failed. */
export function tokenFailure(
  signal: TokenSignal,
  headers: Readonly<Record<string, string>>,
  now: number,
): { class: FailureClass; retryAfterMs?: number } {
  const row = decide(tokenTable, signal);
  const isTransient = row.class !== 'credentials' && row.class !== 'rejected';
  const waitMs = (isTransient ? retryAfterMs(headers, now) : undefined) ?? row.waitMs;
  return { class: row.class, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** What the body says, in the first of the forms it may have. */
export function saidBy(body: Json): string | undefined {
  return (
    textOf(body['error_description']) ?? textOf(body['message']) ?? textOf(body['error']) ?? textOf(body['status'])
  );
}
