import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '@sluice/stack';

/** What a run wrote or was about to write; enough to find it again, and no credential. */
export interface JournalEntry {
  readonly provider: string;
  /** Names the run; each mark holds it. */
  readonly run: string;
  /** The account, as it named itself: what one account was sent is not looked for in another. */
  readonly workspaceRef: string;
  /** Of the process that writes it, on this machine. */
  readonly pid: number;
  readonly records: readonly MarkedRecord[];
}

/** A record that was made, refused, or sent without a known outcome. */
export interface MarkedRecord {
  readonly objectName: string;
  /** Value of the object's mark field: it names the run, and no other record has it. */
  readonly mark: string;
  readonly sentAt: string;
  /** Absent: refused, or not known. */
  id?: string;
  /** The provider reported that it was not created. */
  isRefused?: boolean;
}

export const isInDoubt = ({ id, isRefused }: MarkedRecord): boolean => id === undefined && isRefused !== true;

/** Runs that are not proven to have left nothing. Survives `kill -9`: an entry is written before its record is sent. */
export interface Journal {
  write(entry: JournalEntry): void;
  /** The run left nothing, or nothing that may not stay. */
  remove(run: string): void;
  /** Runs against an account that did not come to their end. */
  unfinished(provider: string, workspaceRef: string): readonly JournalEntry[];
}

/** @param folder made when it is not there */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    write: (entry) => writePrivateFile(join(folder, `${entry.run}.json`), entry),
    remove: (run) => {
      // With what a killed process was writing.
      const files = readdirSync(folder).filter((name) => name.startsWith(`${run}.json`));
      for (const name of files) rmSync(join(folder, name), { force: true });
    },
    unfinished: (provider, workspaceRef) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as JournalEntry)
        .filter((entry) => entry.provider === provider && entry.workspaceRef === workspaceRef),
  };
}
