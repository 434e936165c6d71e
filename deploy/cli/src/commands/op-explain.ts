import type { OperationExplanation } from '@sluice/types';
import { CommandFailure } from '../failure';
import { renderExplanation } from '../explain/render-explanation';
import { grouped, print } from '../output/print';
import { connect, type GivenOptions, type Management } from '../profiles/connect';

interface ExplainOptions extends GivenOptions {
  readonly record?: string;
}

/** `sluice op explain <id>`: the reply of the management API, or a timeline made of it. */
export async function run([operationId = '']: readonly string[], options: ExplainOptions): Promise<void> {
  const { management } = await connect(options);
  const all = await readExplanation(management, operationId);
  const { record } = options;
  const records = record === undefined ? all.records : all.records.filter(({ index }) => String(index) === record);
  if (record !== undefined && records.length === 0) {
    throw new CommandFailure(
      `There is no record ${record} in this operation: it has ${grouped(all.records.length)}, from 0 on.`,
    );
  }
  const explanation = { ...all, records };
  print(options, explanation, () => renderExplanation(explanation));
}

/** The explanation of an operation with all of its records: those of a large one come in pages. */
export async function readExplanation(management: Management, operationId: string): Promise<OperationExplanation> {
  const first = await management.explainOperation({ operationId });
  const records = [...first.records];
  let { pagination } = first;
  while (pagination.nextPageToken !== undefined) {
    const next = await management.explainOperation({ operationId, pageToken: pagination.nextPageToken });
    records.push(...next.records);
    ({ pagination } = next);
  }
  return { ...first, records, pagination };
}
