import { expect, explained, NotTried } from '../finding';
import { poll } from '../poll';
import { callOf, type Trial } from '../trial';
import type { Check } from './check';

/** Looks for the first marked record, once the provider's index can have it. */
export const searchChecks: readonly Check[] = [
  {
    capability: 'search by equality',
    claimed: ({ capabilities: { search } }) => (search ? `a page of up to ${search.limit}` : undefined),
    run: async (trial) => {
      const first = firstMade(trial);
      const search = () => find(trial, first.mark);
      const boundMs = visibleWithinMs(trial);
      const lagMs = await poll(async () => (await search()).length > 0, { ...pace(trial), boundMs });
      expect(lagMs !== undefined, `not found within ${boundMs / 1000} s`);
      const found = await search();
      expect(found.length === 1 && found[0] === first.id, `found ${found.join(', ')}`);
      return 'the record, and no other';
    },
  },
  {
    capability: 'search for a field that is not there',
    claimed: ({ capabilities: { search }, describe }) => (search && describe ? 'rejected' : undefined),
    run: async (trial) => {
      const filters = [{ field: 'sluice_no_such_field', value: 'x' }];
      const fields = [trial.subject.markField];
      const asked = trial.connector.search?.({ ...callOf(trial), filters, fields, limit: 1 });
      const failure = await asked?.then(
        () => 'it was accepted',
        (error: unknown) => explained(error).message.split(':')[0],
      );
      expect(failure === 'rejected', failure ?? 'nothing');
      return 'rejected';
    },
  },
  {
    capability: 'a create is found again',
    claimed: ({ findCreated }) => (findCreated ? 'exactly one, made after the run began' : undefined),
    run: async (trial) => {
      const first = firstMade(trial);
      const look = async () => {
        const records = [{ fields: first.fields, since: trial.startedAt }];
        return (await trial.connector.findCreated?.({ ...callOf(trial), records }))?.[0];
      };
      const ids = async () => {
        const found = await look();
        return found?.kind === 'found' ? found.matches.map(({ recordId }) => recordId) : [];
      };
      // The update changed a value that was sent, so the record is like the create but not equal to it.
      const seen = await look();
      if (seen?.kind === 'cannot-look') throw new NotTried(seen.reason);
      const isNear = seen?.kind === 'none' && seen.near?.includes(first.id ?? '') === true;
      expect(isNear || (await ids()).join() === first.id, `it said ${seen?.kind ?? 'nothing'}`);
      return isNear ? 'near: a value was changed since' : 'the record';
    },
  },
];

/** Ids of the records that a search finds by a mark. */
export async function find(trial: Trial, mark: string): Promise<string[]> {
  const { markField, fields: fieldsOf } = trial.subject;
  const value = String(fieldsOf(mark)[markField]);
  const filters = [{ field: markField, value }];
  const found = await trial.connector.search?.({ ...callOf(trial), filters, fields: [markField], limit: 10 });
  // Where search is fuzzy, what carries another mark is not ours.
  return (found ?? []).filter(({ fields }) => fields[markField] === value).map(({ id }) => id);
}

/** How long the index may lag behind a write, in milliseconds; ten seconds more for the provider's clock. */
export function visibleWithinMs({ connector, subject, run }: Trial): number {
  const lagMs = connector.visibilityMs(subject.objectName, { [subject.markField]: run });
  return lagMs + 10_000;
}

export const pace = ({ pollMs, signal }: Trial) => ({ everyMs: pollMs, ...(signal && { signal }) });

function firstMade({ records }: Trial) {
  const [first] = records;
  if (first?.id === undefined) throw new NotTried('there is no record: its create failed');
  return first;
}
