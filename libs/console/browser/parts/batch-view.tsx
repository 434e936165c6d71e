import { pluralize, grouped, type OperationProgress, type OperationRecord } from '@sluice/types';
import { fromNow } from '../format';
import { wordOf } from './badge';

/**
 * A cell per record in accept order, empty ones for what an open batch still takes. Small where all is written, and nothing for a single record, of
 * which the sentence says all.
 */
export function BatchView({ progress, records }: BatchViewOptions) {
  const { batch, records: counts, phase } = progress;
  const isWell = phase === 'ended' && counts.succeeded === counts.total;
  if (phase !== 'accumulating' && counts.total <= 1) return null;
  const cellsTotal = phase === 'accumulating' ? Math.max(batch?.recordsMax ?? 0, counts.total) : counts.total;
  const cells = Array.from(
    { length: cellsTotal },
    (_none, index) => records[index]?.status ?? (index < counts.total ? 'pending' : 'free'),
  );
  return (
    <section class={isWell ? 'batch is-well' : 'panel batch'} aria-label="Batch">
      <div
        class="cells"
        role="img"
        aria-label={`${pluralize(counts.total, 'record')}: ${legendOf(progress)
          .map(([state, count]) => `${grouped(count)} ${wordOf(state)}`)
          .join(', ')}`}
      >
        {cells.map((status, index) => (
          <i key={index} class={status} title={status === 'free' ? undefined : `Record ${index}: ${wordOf(status)}`} />
        ))}
      </div>
      {isWell ? null : (
        <ul class="legend">
          {legendOf(progress).map(([state, count]) => (
            <li key={state}>
              <i class={state} />
              {wordOf(state)} <b>{grouped(count)}</b>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface BatchViewOptions {
  readonly progress: OperationProgress;
  /** In order of index, from 0. */
  readonly records: readonly OperationRecord[];
}

function legendOf({ records, batch, phase }: OperationProgress): (readonly [string, number])[] {
  const free = phase === 'accumulating' && batch !== undefined ? Math.max(0, batch.recordsMax - records.total) : 0;
  const all = [
    ['free', free],
    ['pending', records.pending],
    ['succeeded', records.succeeded],
    ['failed', records.failed],
    ['unknown', records.unknown],
  ] as const;
  return all.filter(([state, count]) => count > 0 || state === 'succeeded');
}

/** What happened to an operation, or is happening, in one line. */
export function sentenceOf(progress: OperationProgress): string {
  const { phase, batch, records, cancelRequestTime } = progress;
  const { total, succeeded, failed, unknown } = records;
  const sentence = (count: number, what: string): string =>
    `${grouped(count)} of ${pluralize(total, 'record')} ${count === 1 ? 'was' : 'were'} ${what}.`;
  if (phase === 'ended' && failed + unknown === 0) return sentence(succeeded, 'written');
  if (phase === 'ended') {
    const unsure = unknown === 0 ? '' : ` Of ${grouped(unknown)} it is not known.`;
    return `${sentence(failed, 'not written')}${unsure}`;
  }
  if (cancelRequestTime !== undefined) return 'A cancel was asked for: what has not been sent ends as cancelled.';
  if (phase === 'accumulating' && batch !== undefined) {
    return `Filling: ${grouped(records.total)} of ${pluralize(batch.recordsMax, 'record')}. Sent when full, or ${fromNow(batch.dueTime)}.`;
  }
  return `In progress: ${grouped(records.total - records.pending)} of ${pluralize(records.total, 'record')} decided.`;
}
