/** What a status means to a reader: shown by colour and by its word. */
export type Tone = 'good' | 'bad' | 'busy' | 'unsure' | 'quiet';

const tones: Readonly<Record<string, Tone>> = {
  success: 'good',
  succeeded: 'good',
  healthy: 'good',
  working: 'good',
  open: 'good',
  failure: 'bad',
  failed: 'bad',
  unhealthy: 'bad',
  bad_credentials: 'bad',
  blocked: 'bad',
  in_progress: 'busy',
  unknown: 'unsure',
  recovering: 'unsure',
};

const words: Readonly<Record<string, string>> = {
  in_progress: 'in progress',
  bad_credentials: 'bad credentials',
};

export function Badge({ of }: { readonly of: string }) {
  return <span class={`badge ${tones[of] ?? 'quiet'}`}>{words[of] ?? of}</span>;
}
