import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from './finding';
import type { Recording } from './recording';
import { replayRecording } from './replay-recording';
import { scrub, type RawRecording, type ScrubOptions } from './scrub/scrub';

export interface Saving extends ScrubOptions {
  /** Where to. */
  readonly path: string;
  /** What the live run concluded. */
  readonly findings: readonly Finding[];
  readonly providersDir: string | undefined;
}

/**
 * Writes what a run showed, scrubbed, with what a replay of it concludes: so nothing of the account comes in by what was concluded,
 * and the recording is known to work as a test. The file appears whole or not at all.
 * @returns the capabilities of which the replay does not conclude the same: the recording is no test for them
 */
export async function saveRecording(raw: RawRecording, saving: Saving): Promise<readonly string[]> {
  const { path, findings: live, providersDir, ...options } = saving;
  const scrubbed = scrub(raw, options);
  const { findings, strays, unused } = await replayRecording(scrubbed, providersDir);
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, render({ ...scrubbed, findings }), { mode: 0o600 });
  renameSync(fresh, path);
  const other = live.filter(
    ({ capability, verdict }) => findings.find((one) => one.capability === capability)?.verdict !== verdict,
  );
  return [...other.map(({ capability }) => capability), ...strays, ...unused];
}

/** An exchange per line, so that two recordings can be compared. */
function render({ exchanges, ...head }: Recording): string {
  const lines = exchanges.map((exchange) => JSON.stringify(exchange)).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "exchanges": [\n${lines}\n  ]\n}\n`;
}
