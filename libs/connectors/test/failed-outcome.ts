import type { HttpOutcome } from '../src/http-client';

/** How an exchange failed: without a status no reply arrived. */
export interface Failing {
  readonly fault?: 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly reason?: string;
}

export function failedOutcome({ fault, status, headers = {}, json, text, reason = 'x' }: Failing): HttpOutcome {
  const durationMs = 1;
  if (fault === 'not-sent') return { kind: 'not-sent', durationMs, reason };
  if (status === undefined) return { kind: 'no-reply', durationMs, reason, fault: fault ?? 'broken' };
  const body = { ...(json !== undefined && { json }), ...(text !== undefined && { text }), ...(fault && { fault }) };
  return { kind: 'reply', durationMs, reply: { status, headers, ...body } };
}
