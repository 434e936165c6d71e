import type { RecordResult } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { Association } from '@sluice/types';
import { expect, NotTried, refused, written } from '../finding';
import { poll, visibleWithinMs } from '../read-back';
import type { Linked } from '../subjects';
import { absentIdOf, announce, callOf, type Check, type MarkedRecord, noted, type Trial, withdraw } from '../trial';

const linking = 'linked, as a search shows';

/** Links to a record of a second object. The first makes that record. */
export const associationChecks: readonly Check[] = [
  {
    capability: 'a record to link to',
    claimed: ({ create, capabilities: { associations } }) => (create && associations ? 'one, with its id' : undefined),
    run: async (trial) => {
      const { subject } = linkedOf(trial);
      const record = announce(trial, subject);
      const call = { ...callOf(trial), objectName: subject.objectName };
      const result = await trial.connector.create?.({ ...call, fields: record.fields });
      assertMayWrite(trial, record, result);
      written(noted(trial, record, result));
      return 'one, with its id';
    },
  },
  {
    capability: 'create with an association',
    claimed: ({ capabilities: { associations } }) => (associations && associations.create ? linking : undefined),
    run: async (trial) => {
      const target = targetOf(trial);
      const record = announce(trial);
      const associations = [associationWith(trial, target)];
      const result = await trial.connector.create?.({ ...callOf(trial), fields: record.fields, associations });
      await assertLinked(trial, written(noted(trial, record, result)), target);
      return linking;
    },
  },
  {
    capability: 'update with an association',
    claimed: ({ capabilities: { associations } }) => (associations && associations.update ? linking : undefined),
    run: async (trial) => {
      const target = targetOf(trial);
      const recordId = written(await link(trial, target));
      await assertLinked(trial, recordId, target);
      return linking;
    },
  },
  {
    capability: 'association with what is not there',
    claimed: ({ capabilities: { associations } }) =>
      associations && associations.create && associations.update ? 'create rejected, update rejected' : undefined,
    run: async (trial) => {
      const absentId = absentIdOf(trial);
      const record = announce(trial);
      const associations = [associationWith(trial, absentId)];
      const created = await trial.connector.create?.({ ...callOf(trial), fields: record.fields, associations });
      const create = refused(noted(trial, record, created), 'rejected');
      return `create ${create}, update ${refused(await link(trial, absentId), 'rejected')}`;
    },
  },
];

function linkedOf({ subject: { linked } }: Trial): Linked {
  if (!linked) throw new NotTried('the object to link its records to is not declared');
  return linked;
}

function associationWith(trial: Trial, id: string): Association {
  return { to: { id }, types: linkedOf(trial).types };
}

/** Without fields: what became of the link is the outcome then, and no warning beside one. */
async function link(trial: Trial, target: string) {
  const [first] = trial.records;
  if (first?.id === undefined) throw new NotTried('there is no record: its create failed');
  const associations = [associationWith(trial, target)];
  return trial.connector.update?.({ ...callOf(trial), recordId: first.id, fields: {}, associations });
}

/** A token that may not write the second object proves nothing about associations, and the first object is certified all the same. */
function assertMayWrite(trial: Trial, record: MarkedRecord, result: RecordResult | undefined): void {
  if (!result || result.ok || result.error.class !== 'forbidden') return;
  withdraw(trial, record);
  throw new NotTried(`the token may not write ${record.subject.objectName}: ${result.error.message}`);
}

function targetOf(trial: Trial): string {
  const { subject } = linkedOf(trial);
  const made = trial.records.find((record) => record.subject === subject);
  if (made?.id === undefined) throw new NotTried('there is no record to link to');
  return made.id;
}

async function assertLinked(trial: Trial, recordId: string, target: string): Promise<void> {
  const filters = [{ field: linkedOf(trial).searchedBy, value: target }];
  const asked = { ...callOf(trial), filters, fields: [trial.subject.markField], limit: 10 };
  const isLinked = async () => {
    const found = await trial.connector.search?.(asked).catch(notReadBack);
    return found?.some(({ id }) => id === recordId) === true;
  };
  expect(await poll(isLinked, { ...trial, boundMs: visibleWithinMs(trial) }), 'accepted, and no search shows it');
}

/** A search that cannot be made proves nothing about the link. */
function notReadBack(error: unknown): never {
  if (!(error instanceof ProviderError) || error.class !== 'rejected') throw error;
  throw new NotTried(`accepted, not read back: ${error.detail}`);
}
