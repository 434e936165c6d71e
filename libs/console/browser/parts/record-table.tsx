import {
  counted,
  planStep,
  timelineOf,
  type OperationExplanation,
  type OperationRecord,
  type RecordOutcome,
} from '@sluice/types';
import { useState } from 'preact/hooks';
import { shortId } from '../format';
import type { Api } from '../session';
import { useLoad } from '../use-load';
import { hrefOf } from '../use-route';
import { Badge } from './badge';
import { Problem } from './problem';

/** What a reader comes for stands first. */
const ranks: Readonly<Record<RecordOutcome, number>> = { failed: 0, unknown: 1, pending: 2, succeeded: 3 };

const isTroubled = ({ status }: OperationRecord): boolean => status === 'failed' || status === 'unknown';

interface RecordTableOptions {
  readonly api: Api;
  readonly operationId: string;
  readonly records: readonly OperationRecord[];
  /** Another one when what happened to the records may have changed. */
  readonly version: string;
  /** Index of a record that is explained from the start. */
  readonly opened?: number | undefined;
}

/** What became of each record, the failed ones first, with the provider's own words; and of a record that is asked for, why. */
export function RecordTable({ api, operationId, records, version, opened }: RecordTableOptions) {
  const [isNarrow, setNarrow] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set(opened === undefined ? [] : [opened]));
  const isAsked = open.size > 0;
  const explanation = useLoad(`${operationId} ${isAsked ? version : 'closed'}`, (signal) =>
    isAsked ? readExplanation(api, operationId, signal) : Promise.resolve(undefined),
  );
  const troubled = records.filter(isTroubled);
  const chosen = isNarrow && troubled.length > 0 ? troubled : records;
  const shown = chosen.toSorted((one, other) => ranks[one.status] - ranks[other.status] || one.index - other.index);
  const toggle = (index: number): void => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    setOpen(next);
  };
  return (
    <section>
      <div class="title">
        <h2>Records</h2>
        {troubled.length === 0 || troubled.length === records.length ? null : (
          <label class="check">
            <input type="checkbox" checked={isNarrow} onChange={() => setNarrow(!isNarrow)} />
            Only the {counted(troubled.length, 'record')} not written
          </label>
        )}
      </div>
      {explanation.error === undefined ? null : (
        <Problem error={explanation.error} title="The explanation could not be read" />
      )}
      <div class="scroll">
        <table class="cards">
          <thead>
            <tr>
              <th class="number index">#</th>
              <th>Outcome</th>
              <th>Record id</th>
              <th class="wide">Provider's answer</th>
              <th>Explanation</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((record) => (
              <RecordRow
                key={record.index}
                record={record}
                isOpen={open.has(record.index)}
                onToggle={() => toggle(record.index)}
                explanation={explanation.value}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** All of it: the records of a large operation come in pages. */
export async function readExplanation(
  api: Api,
  operationId: string,
  signal: AbortSignal,
): Promise<OperationExplanation> {
  const first = await api.explainOperation({ operationId }, { signal });
  const records = [...first.records];
  for (let { pagination } = first; pagination.nextPageToken !== undefined;) {
    const next = await api.explainOperation({ operationId, pageToken: pagination.nextPageToken }, { signal });
    records.push(...next.records);
    ({ pagination } = next);
  }
  return { ...first, records };
}

interface RecordRowOptions {
  readonly record: OperationRecord;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly explanation: OperationExplanation | undefined;
}

function RecordRow({ record, isOpen, onToggle, explanation }: RecordRowOptions) {
  const { index, ref, status, recordId, error, warnings, replayedBy } = record;
  const id = `record-${index}`;
  const isWhy = isTroubled(record);
  return (
    <>
      <tr class="clickable">
        <td class="number" data-label="#">
          {index}
        </td>
        <td data-label="Outcome">
          <Badge of={status} />
        </td>
        <td data-label="Record id">
          {recordId === undefined ? null : <code>{recordId}</code>}
          {ref === undefined ? null : <div class="fine">ref {ref}</div>}
        </td>
        <td class="wide answer" data-label="Provider's answer">
          {error === undefined ? null : (
            <>
              <span class="class">{error.class}</span> {error.message}
            </>
          )}
          {warnings?.map((warning) => (
            <div key={warning} class="fine">
              {warning}
            </div>
          ))}
          {replayedBy === undefined ? null : (
            <div class="fine">
              Retried as <a href={hrefOf(`operations/${replayedBy}`)}>{shortId(replayedBy)}</a>
            </div>
          )}
        </td>
        <td data-label="Explanation">
          <button
            type="button"
            class="small whole-row"
            aria-expanded={isOpen}
            aria-controls={id}
            // What is seen is a part of what is read out.
            aria-label={isWhy ? `Why: explain record ${index}` : `Explain record ${index}`}
            onClick={onToggle}
          >
            {isWhy ? 'Why' : 'Explain'}
          </button>
        </td>
      </tr>
      {isOpen ? (
        <tr class="explained">
          <td colSpan={5} id={id}>
            <Timeline index={index} explanation={explanation} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** The steps of a record, in the words of `sluice op explain`. Moments are in UTC. */
function Timeline({ index, explanation }: Pick<RecordRowOptions, 'explanation'> & { readonly index: number }) {
  const record = explanation?.records.find((one) => one.index === index);
  if (explanation === undefined || record === undefined) return <p class="fine">The explanation is being read.</p>;
  return (
    <ol class="timeline">
      {[planStep([record], explanation), ...timelineOf(record, explanation)].map(([step, text], at) => (
        <li key={at}>
          <b>{step}</b>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
