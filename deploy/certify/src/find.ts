import type { ProviderRecord } from '@sluice/connectors';
import { callOf, type Trial } from './trial';

/** The records that a search finds by a mark. @param fields what is to be shown of them @default the field of the mark */
export async function find(trial: Trial, mark: string, fields?: readonly string[]): Promise<ProviderRecord[]> {
  const { markField, fields: fieldsOf } = trial.subject;
  const value = String(fieldsOf(mark)[markField]);
  const filters = [{ field: markField, value }];
  const asked = { ...callOf(trial), filters, fields: [...(fields ?? [markField])], limit: 10 };
  const found = await trial.connector.search?.(asked);
  // Where search is fuzzy, what carries another mark is not ours.
  return (found ?? []).filter((record) => record.fields[markField] === value);
}

/** How long the index may lag behind a write, in milliseconds; ten seconds more for the provider's clock. */
export function visibleWithinMs({ connector, subject, run }: Trial): number {
  const lagMs = connector.visibilityMs(subject.objectName, { [subject.markField]: run });
  return lagMs + 10_000;
}
