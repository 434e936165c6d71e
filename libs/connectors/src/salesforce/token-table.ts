import type { SignalRow } from '../signals';

/** A reply of the token endpoint that gave no token. */
export interface Refusal {
  readonly status: number;
  /** The body's `error`. */
  readonly code: string;
  readonly text: string;
}

/** The first row that matches decides. The status stands over the body: a 503 that carries invalid_grant is still a 503. */
export const tokenTable: readonly SignalRow<Refusal>[] = [
  {
    signal: '5xx, 408, 420, 425',
    matches: ({ status }) => status >= 500 || [408, 420, 425].includes(status),
    class: 'unavailable',
    basis: 'documented',
    source: 'providers.md, B1',
  },
  {
    signal: '429; rate_limit_exceeded, "login rate exceeded"',
    matches: ({ status, code, text }) =>
      status === 429 || code === 'rate_limit_exceeded' || /login rate exceeded/i.test(text),
    class: 'quota',
    basis: 'documented',
    source: 'providers.md, B1; the 429 is assumed',
  },
  {
    signal: 'invalid_grant',
    matches: ({ code }) => code === 'invalid_grant',
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, B1: expired, inactive user, not approved',
  },
  {
    signal: 'other 4xx (invalid_client_id, invalid_client, unsupported_grant_type, invalid_app_access)',
    matches: ({ status }) => status >= 400,
    class: 'rejected',
    basis: 'documented',
    source: 'providers.md, B1: the app, not the grant',
  },
  {
    signal: '2xx without a token, 3xx, and whatever is in no row',
    matches: () => true,
    class: 'unavailable',
    basis: 'assumed',
    source: 'the default: it says nothing about the grant',
  },
];
