import type { Logger, Metrics } from '@sluice/telemetry';
import type { Topic } from './topics';

/** What a message names that does not exist. */
export type StrayNames = Readonly<Record<'projectId' | 'operationId' | 'laneId', string>>;

/** Names that were said once are remembered up to this many: forged messages must not fill a log, or the memory. */
const namesMax = 10_000;

/**
 * Counts messages that point at nothing, and says so once for each thing that is named. Nothing else follows from them: an
 * announcement is a hint, so what is not there needs no work.
 * @returns called with what a message of the topic names, as far as it does not exist
 */
export function strayMessages(
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  topic: Topic,
): (names: Partial<StrayNames>) => void {
  const counter = metrics.counter('sluice_messages_stray_total');
  const said = new Set<string>();
  return (names) => {
    counter.inc({ topic: topic.name });
    const id = JSON.stringify(names);
    if (said.has(id) || said.size >= namesMax) return;
    said.add(id);
    logger.warn({ topic: topic.name, ...names }, 'message.stray');
  };
}
