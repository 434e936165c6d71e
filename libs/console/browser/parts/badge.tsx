import type { LaneState, Operation } from '@sluice/types';

/** What a status means to a reader: shown by colour and by its word. */
export type Tone = 'good' | 'bad' | 'busy' | 'unsure' | 'quiet';

const tones: Readonly<Record<string, Tone>> = {
  success: 'good',
  succeeded: 'good',
  healthy: 'good',
  working: 'good',
  open: 'good',
  enabled: 'good',
  delivered: 'good',
  failure: 'bad',
  failed: 'bad',
  unhealthy: 'bad',
  bad_credentials: 'bad',
  blocked: 'bad',
  failing: 'bad',
  stalled: 'bad',
  'failing-endpoint': 'bad',
  in_progress: 'busy',
  pending: 'busy',
  revised: 'unsure',
  partial: 'unsure',
  held: 'bad',
  unknown: 'unsure',
  recovering: 'unsure',
} satisfies Partial<Record<LaneState, Tone>> & Record<string, Tone>;

/** One word for a state, wherever the console names it. The guide has them as a table. */
const words: Readonly<Record<string, string>> = {
  success: 'written',
  succeeded: 'written',
  partial: 'partly written',
  failure: 'failed',
  in_progress: 'in progress',
  pending: 'waiting',
  unknown: 'outcome unknown',
  bad_credentials: 'credentials refused',
  held: 'credentials refused',
  failing: 'provider failing',
  'failing-endpoint': 'failing',
  stalled: 'no progress',
};

export const wordOf = (state: string): string => words[state] ?? state;

export function Badge({ of }: { readonly of: string }) {
  return <span class={`badge ${tones[of] ?? 'quiet'}`}>{wordOf(of)}</span>;
}

/** The status of an operation. It is a success with one record written; of which another was not, a reader must see that. */
export function OperationBadge({ operation: { status, metadata } }: { readonly operation: Operation }) {
  return <Badge of={status === 'success' && (metadata?.records?.failed ?? 0) > 0 ? 'partial' : status} />;
}
