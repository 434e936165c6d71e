import { print } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';

interface ReplayOptions extends GivenOptions {
  readonly force?: boolean;
}

/** `sluice op cancel <id>`: prints the current state of the operation. */
export async function cancel([operationId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const operation = await management.cancelOperation({ operationId });
  print(
    options,
    operation,
    () => `A cancel is asked for: what has not been sent ends as failed. Follow it: sluice op watch ${operation.id}`,
  );
}

/** `sluice op replay <id>`: the new operation. */
export async function replay([operationId = '']: readonly string[], options: ReplayOptions): Promise<void> {
  const { management } = await connect(options);
  const force = options.force === true ? { force: true } : {};
  const operation = await management.replayOperation({ operationId, ...force });
  print(options, operation, () => `The failed records are written again by: sluice op watch ${operation.id}`);
}
