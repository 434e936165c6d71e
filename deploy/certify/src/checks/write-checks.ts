import { allRead, type RecordResult } from '@sluice/connectors';
import { expect, NotTried, refused, shapeOf, written } from '../finding';
import { canReadBack, isSame, readBack } from '../read-back';
import { absentField, texts } from '../subjects';
import {
  absentIdOf,
  announce,
  announceAgain,
  callOf,
  type Check,
  type MarkedRecord,
  noted,
  type Trial,
} from '../trial';

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

/** Writes of several records. The first makes the second and the third marked record. */
export const batchChecks: readonly Check[] = [
  {
    capability: 'batch create',
    claimed: ({ capabilities: { batchCreate } }) =>
      batchCreate ? `up to ${batchCreate.limit}; one refused, the others in order` : undefined,
    run: async (trial) => {
      const [first, bad, last] = [announce(trial), announce(trial), announce(trial)];
      const fields = { ...bad.fields, ...trial.subject.invalid };
      const results = await trial.connector.createBatch?.({
        ...callOf(trial),
        records: [{ fields: first.fields }, { fields }, { fields: last.fields }],
      });
      noteAll(trial, [first, bad, last], results);
      expect(shapeOf(results) === 'ok, rejected, ok', shapeOf(results));
      if (trial.connector.readBatch) await assertOrder(trial, [first, last]);
      return 'ok, rejected, ok';
    },
  },
  {
    capability: 'batch create, all or none',
    claimed: ({ capabilities: { allOrNone } }) => (allOrNone.create ? 'one refused, none written' : undefined),
    run: async (trial) => {
      const [good, bad] = [announce(trial), announce(trial)];
      const records = [{ fields: good.fields }, { fields: { ...bad.fields, ...trial.subject.invalid } }];
      const results = await trial.connector.createBatch?.({ ...callOf(trial), records, allOrNone: true });
      noteAll(trial, [good, bad], results);
      const shape = shapeOf(results);
      expect(results?.every(({ ok }) => !ok) === true, shape);
      return 'one refused, none written';
    },
  },
  {
    capability: 'batch update',
    claimed: ({ capabilities: { batchUpdate } }) => (batchUpdate ? `up to ${batchUpdate.limit}, in order` : undefined),
    run: async (trial) => {
      const { textField } = trial.subject;
      const known = existing(trial);
      const absentId = absentIdOf(trial);
      const ids = [known[0], absentId, known[1]].filter((id) => id !== undefined);
      const records = ids.map((recordId) => ({ recordId, fields: { [textField]: texts.changedAgain } }));
      const results = await trial.connector.updateBatch?.({ ...callOf(trial), records });
      expect(shapeOf(results) === 'ok, not-found, ok', shapeOf(results));
      return 'ok, not-found, ok';
    },
  },
  {
    capability: 'batch update, all or none',
    claimed: ({ capabilities: { allOrNone } }) => (allOrNone.update ? 'one refused, none written' : undefined),
    run: async (trial) => {
      const { textField } = trial.subject;
      const [one, other] = made(trial);
      const change = { [textField]: texts.neverMade };
      const ids = [one.id, absentIdOf(trial), other.id];
      const records = ids.map((recordId) => ({ recordId, fields: change }));
      const results = await trial.connector.updateBatch?.({ ...callOf(trial), records, allOrNone: true });
      const shape = shapeOf(results);
      // What was rolled back failed for the reason of the one that was refused.
      expect(shape === ids.map(() => 'not-found').join(', '), shape);
      for (const record of [one, other]) {
        const stored = await readBack(trial, record);
        expect(stored[textField] !== texts.neverMade, `${shape}, and ${record.mark} was changed`);
      }
      return 'one refused, none written';
    },
  },
  {
    capability: 'batch read',
    claimed: ({ capabilities: { batchRead } }) => (batchRead ? `up to ${batchRead.limit}, in order` : undefined),
    run: async (trial) => {
      const { markField } = trial.subject;
      const known = existing(trial);
      const absentId = absentIdOf(trial);
      const ids = [absentId, ...known];
      const records = await trial.connector.readBatch?.({ ...callOf(trial), ids, fields: [markField] });
      const shape = records && allRead(records).map((record) => record?.id ?? 'none');
      expect(JSON.stringify(shape) === JSON.stringify(['none', ...known]), `${shape?.join(', ')}`);
      return `${known.length} records and one that is not there`;
    },
  },
];

type Made = MarkedRecord & { readonly id: string };

/** The records that were made: two at least. */
function made({ records }: Trial): [Made, Made, ...Made[]] {
  const [one, other, ...more] = records.filter((record): record is Made => record.id !== undefined);
  if (!one || !other) throw new NotTried('there are not two records: creates failed');
  return [one, other, ...more];
}

const existing = (trial: Trial): string[] => made(trial).map(({ id }) => id);

/** Before anything is compared: whatever was written has to be found again. */
function noteAll(trial: Trial, records: readonly MarkedRecord[], results: readonly RecordResult[] = []): void {
  for (const [index, record] of records.entries()) noted(trial, record, results[index]);
}

async function assertOrder(trial: Trial, records: readonly MarkedRecord[]): Promise<void> {
  const { markField } = trial.subject;
  for (const record of records) {
    const stored = await readBack(trial, record);
    expect(
      stored[markField] === record.fields[markField],
      `the id of ${record.mark} is that of ${String(stored[markField])}`,
    );
  }
}
