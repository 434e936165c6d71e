import { expect, NotTried, refused, written } from '../finding';
import { canReadBack, isSame, readBack } from '../read-back';
import { absentField, texts } from '../subjects';
import { absentIdOf, announce, announceAgain, callOf, noted } from '../trial';
import type { Check } from './check';

/** Writes of one record. The first of them makes the first marked record, which the others use. */
export const singleChecks: readonly Check[] = [
  {
    capability: 'create',
    claimed: ({ create }) => (create ? 'one record, with its id' : undefined),
    run: async (trial) => {
      const record = announce(trial);
      const result = await trial.connector.create?.({ ...callOf(trial), fields: record.fields });
      written(noted(trial, record, result));
      return 'one record, with its id';
    },
  },
  {
    capability: 'the record as it was written',
    claimed: (connector) => (connector.create && canReadBack(connector) ? 'every value that was sent' : undefined),
    run: async (trial) => {
      const [first] = trial.records;
      const stored = await readBack(trial, first);
      const other = Object.entries(first?.fields ?? {}).filter(([name, value]) => !isSame(stored[name], value));
      expect(other.length === 0, `other values in ${other.map(([name]) => name).join(', ')}`);
      return 'every value that was sent';
    },
  },
  {
    capability: 'create of the same again',
    claimed: ({ create }, { subject }) =>
      create && subject.uniqueField !== undefined ? `conflict on ${subject.uniqueField}` : undefined,
    run: async (trial) => {
      const [first] = trial.records;
      if (first === undefined) throw new NotTried('there is no record to make again');
      const again = announceAgain(trial, first);
      const result = await trial.connector.create?.({ ...callOf(trial), fields: again.fields });
      return `${refused(noted(trial, again, result), 'conflict')} on ${trial.subject.uniqueField}`;
    },
  },
  {
    capability: 'create with a field that is not there',
    claimed: ({ create, describe }) => (create && describe ? 'rejected' : undefined),
    run: async (trial) => {
      const record = announce(trial);
      const fields = { ...record.fields, [absentField]: 'x' };
      const result = await trial.connector.create?.({ ...callOf(trial), fields });
      return refused(noted(trial, record, result), 'rejected');
    },
  },
  {
    capability: 'update',
    claimed: (connector) => {
      if (!connector.update) return undefined;
      return canReadBack(connector) ? 'the field that was sent, and no other' : 'accepted';
    },
    run: async (trial) => {
      const [first] = trial.records;
      const { textField, markField } = trial.subject;
      const change = { [textField]: texts.changed };
      written(await trial.connector.update?.({ ...callOf(trial), recordId: idOf(first?.id), fields: change }));
      if (!canReadBack(trial.connector)) return 'accepted, not read back';
      const stored = await readBack(trial, first, change);
      expect(stored[textField] === texts.changed, `${textField} is ${JSON.stringify(stored[textField])}`);
      expect(isSame(stored[markField], first?.fields[markField]), `${markField} changed too`);
      return 'the field that was sent, and no other';
    },
  },
  {
    capability: 'update of what is not there',
    claimed: ({ update }) => (update ? 'not-found' : undefined),
    run: async (trial) => {
      const { textField } = trial.subject;
      const recordId = absentIdOf(trial);
      const result = await trial.connector.update?.({ ...callOf(trial), recordId, fields: { [textField]: 'x' } });
      return refused(result, 'not-found');
    },
  },
  {
    capability: 'forwarded headers',
    claimed: ({ capabilities, update }) => (capabilities.forwardedHeaders && update ? 'taken' : undefined),
    run: async (trial) => {
      const headers = [{ key: 'Sforce-Auto-Assign', value: 'FALSE' }];
      const fields = { [trial.subject.textField]: texts.changed };
      const recordId = idOf(trial.records[0]?.id);
      written(await trial.connector.update?.({ ...callOf(trial), recordId, fields, headers }));
      return 'taken';
    },
  },
];

function idOf(id: string | undefined): string {
  if (id === undefined) throw new NotTried('there is no record: its create failed');
  return id;
}
