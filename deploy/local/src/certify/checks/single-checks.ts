import { expect, refused, written } from '../finding';
import { announce, callOf, noted } from '../trial';
import { readBack } from '../read-back';
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
    claimed: ({ readBatch, create }) => (readBatch && create ? 'every value that was sent' : undefined),
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
      const fields = first?.fields ?? {};
      const result = await trial.connector.create?.({ ...callOf(trial), fields });
      if (result?.ok) noted(trial, announce(trial), result);
      expect(refused(result) === 'conflict', refused(result));
      return `conflict on ${trial.subject.uniqueField}`;
    },
  },
  {
    capability: 'create with a field that is not there',
    claimed: ({ create, describe }) => (create && describe ? 'rejected' : undefined),
    run: async (trial) => {
      const record = announce(trial);
      const fields = { ...record.fields, sluice_no_such_field: 'x' };
      const result = await trial.connector.create?.({ ...callOf(trial), fields });
      expect(refused(noted(trial, record, result)) === 'rejected', refused(result));
      return 'rejected';
    },
  },
  {
    capability: 'update',
    claimed: ({ update }) => (update ? 'the field that was sent, and no other' : undefined),
    run: async (trial) => {
      const [first] = trial.records;
      const { textField, markField } = trial.subject;
      const change = { [textField]: 'Certified' };
      written(await trial.connector.update?.({ ...callOf(trial), recordId: idOf(first?.id), fields: change }));
      if (!trial.connector.readBatch) return 'accepted; not read back';
      const stored = await readBack(trial, first);
      expect(stored[textField] === 'Certified', `${textField} is ${JSON.stringify(stored[textField])}`);
      expect(isSame(stored[markField], first?.fields[markField]), `${markField} changed too`);
      return 'the field that was sent, and no other';
    },
  },
  {
    capability: 'update of what is not there',
    claimed: ({ update }) => (update ? 'not-found' : undefined),
    run: async (trial) => {
      const { absentId: recordId, textField } = trial.subject;
      const result = await trial.connector.update?.({ ...callOf(trial), recordId, fields: { [textField]: 'x' } });
      expect(refused(result) === 'not-found', refused(result));
      return 'not-found';
    },
  },
  {
    capability: 'forwarded headers',
    claimed: ({ capabilities, update }) => (capabilities.forwardedHeaders && update ? 'taken' : undefined),
    run: async (trial) => {
      const headers = [{ key: 'Sforce-Auto-Assign', value: 'FALSE' }];
      const fields = { [trial.subject.textField]: 'Certified' };
      const recordId = idOf(trial.records[0]?.id);
      written(await trial.connector.update?.({ ...callOf(trial), recordId, fields, headers }));
      return 'taken';
    },
  },
];

/** Emails come back in lower case. */
function isSame(stored: unknown, sent: unknown): boolean {
  return String(stored).toLowerCase() === String(sent).toLowerCase();
}

function idOf(id: string | undefined): string {
  expect(id !== undefined, 'there is no record: its create failed');
  return id;
}
