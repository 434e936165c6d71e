import type { GivenOptions } from '../command';
import { CommandFailure } from '../failure';
import { readExplanation } from '../explain/read-explanation';
import { renderExplanation } from '../explain/render-explanation';
import { grouped, print } from '../output/print';
import { connect } from '../profiles/connect';

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
