import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CertifyReport } from './certify';
import type { Recording } from './recording';
import { scrub, type ScrubOptions } from './scrub';

type Parts = Pick<Recording, 'provider' | 'source' | 'run' | 'exchanges' | 'accessToken'> & {
  readonly report: CertifyReport;
};

/** Writes what a run showed, scrubbed. The file appears whole or not at all. */
export function saveRecording(file: string, { report, ...parts }: Parts, options: ScrubOptions): void {
  const { workspaceRef, findings } = report;
  const startedAt = report.startedAt.toISOString();
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, render(scrub({ format: 1, startedAt, workspaceRef, findings, ...parts }, options)), {
    mode: 0o600,
  });
  renameSync(fresh, file);
}

/** An exchange per line, so that two recordings can be compared. */
function render({ exchanges, ...head }: Recording): string {
  const lines = exchanges.map((exchange) => JSON.stringify(exchange)).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "exchanges": [\n${lines}\n  ]\n}\n`;
}
