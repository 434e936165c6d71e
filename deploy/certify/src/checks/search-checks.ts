import { Differs, expect, explained, NotTried } from '../finding';
import { find, visibleWithinMs } from '../find';
import { poll } from '../poll';
import { absentField } from '../subjects';
import { callOf, type Trial } from '../trial';
import type { Check } from './check';

/** Looks for the first marked record, once the provider's index can have it. */
export const searchChecks: readonly Check[] = [
  {
    capability: 'search by equality',
    claimed: ({ capabilities: { search } }) => (search ? `a page of up to ${search.limit}` : undefined),
    run: async (trial) => {
      const first = firstMade(trial);
      const boundMs = visibleWithinMs(trial);
      let found: string[] = [];
      const isFound = async () => (found = (await find(trial, first.mark)).map(({ id }) => id)).length > 0;
      expect(await poll(isFound, { ...trial, boundMs }), `not found within ${boundMs / 1000} s`);
      expect(found.length === 1 && found[0] === first.id, `found ${found.join(', ')}`);
      return 'the record, and no other';
    },
  },
  {
    capability: 'search for a field that is not there',
    claimed: ({ capabilities: { search }, describe }) => (search && describe ? 'rejected' : undefined),
    run: async (trial) => {
      const filters = [{ field: absentField, value: 'x' }];
      const fields = [trial.subject.markField];
      const asked = trial.connector.search?.({ ...callOf(trial), filters, fields, limit: 1 });
      const failure = await asked?.then(
        () => new Differs('it was accepted'),
        (error: unknown) => explained(error),
      );
      if (failure instanceof NotTried) throw failure;
      expect(failure?.message.startsWith('rejected: ') === true, failure?.message ?? 'nothing');
      return 'rejected';
    },
  },
  {
    capability: 'a create is found again',
    claimed: ({ findCreated }) => (findCreated ? 'exactly one, made after the run began' : undefined),
    run: async (trial) => {
      const first = firstMade(trial);
      const records = [{ fields: first.fields, since: trial.startedAt }];
      // The update changed a value that was sent, so the record is like the create but not equal to it.
      const seen = (await trial.connector.findCreated?.({ ...callOf(trial), records }))?.[0];
      if (seen?.kind === 'cannot-look') throw new NotTried(seen.reason);
      const isNear = seen?.kind === 'none' && seen.near?.includes(first.id ?? '') === true;
      const ids = seen?.kind === 'found' ? seen.matches.map(({ recordId }) => recordId) : [];
      expect(isNear || ids.join() === first.id, `it said ${seen?.kind ?? 'nothing'}`);
      return isNear ? 'near: a value was changed since' : 'the record';
    },
  },
];

function firstMade({ records }: Trial) {
  const [first] = records;
  if (first?.id === undefined) throw new NotTried('there is no record: its create failed');
  return first;
}
