import { expect, NotTried } from './finding';
import { callOf, type MarkedRecord, type Trial } from './trial';

/** The fields of a record as the provider holds them. @throws NotTried when it was never made, Differs when it is not there */
export async function readBack(
  trial: Trial,
  record: MarkedRecord | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  if (record?.id === undefined) throw new NotTried('there is no record: its create failed');
  const fields = Object.keys(record.fields);
  const [stored] = (await trial.connector.readBatch?.({ ...callOf(trial), ids: [record.id], fields })) ?? [];
  expect(stored !== undefined, `the record ${record.id} is not there`);
  return stored.fields;
}
