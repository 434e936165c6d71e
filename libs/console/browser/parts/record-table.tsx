import { readExplanation } from '@sluice/client';
import {
  groupProblems,
  pluralize,
  planStep,
  timelineOf,
  type OperationExplanation,
  type OperationRecord,
  type RecordProblem,
  type RecordOutcome,
} from '@sluice/types';
import { useEffect, useRef } from 'preact/hooks';
import { shortId } from '../format';
import type { Api } from '../session';
import { useLoad } from '../use-load';
import { goTo, hrefOf } from '../use-route';
import { Badge } from './badge';
import { Problem } from './problem';
import { Table, type Column } from './table';

/** What a reader comes for stands first. */
const ranks: Readonly<Record<RecordOutcome, number>> = { failed: 0, unknown: 1, pending: 2, succeeded: 3 };

const isTroubled = ({ status }: OperationRecord): boolean => status === 'failed' || status === 'unknown';

const facts: readonly Column<OperationRecord>[] = [
  { title: '#', width: 'narrow', phone: 'none', class: 'number', cell: ({ index }) => index },
  {
    title: 'Record',
    width: 'wide',
    phone: 'name',
    cell: ({ index, recordId, ref, identifiedBy: by }) => (
      <>
        {ref ??
          by?.value ??
          (recordId === undefined ? <span class="fine">Record {index}</span> : <code>{recordId}</code>)}
        {ref !== undefined && recordId !== undefined ? (
          <div class="fine">
            <code>{recordId}</code>
          </div>
        ) : null}
        {by === undefined || ref !== undefined ? null : <div class="fine">{by.field}</div>}
      </>
    ),
  },
  { title: 'Outcome', width: 'middle', phone: 'badge', cell: ({ status }) => <Badge of={status} /> },
  {
    title: "Provider's answer",
    class: 'answer',
    cell: ({ error, problems = [], warnings, replayedBy }) => (
      <>
        {error === undefined ? null : (
          <>
            <span class="class">{error.class}</span>{' '}
            {problems.some(({ field }) => field !== undefined) ? <Problems of={problems} /> : error.message}
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
      </>
    ),
  },
];

/** Beside each field what the provider says of it. */
function Problems({ of }: { readonly of: readonly RecordProblem[] }) {
  return (
    <ul class="problems">
      {of.map(({ field, code, message }) => (
        <li key={`${field} ${code} ${message}`}>
          <b>{field}</b> {message} {code === undefined ? null : <code>{code}</code>}
        </li>
      ))}
    </ul>
  );
}

interface RecordTableOptions {
  readonly api: Api;
  readonly operationId: string;
  readonly records: readonly OperationRecord[];
  /** Another one when what happened to the records may have changed. */
  readonly version: string;
  /** `records` names the chosen part of them, `explained` has the indexes of those that are explained. */
  readonly query: URLSearchParams;
}

/** What became of each record, the failed ones first, with the provider's own words; and of a record that is asked for, why. */
export function RecordTable({ api, operationId, records, version, query }: RecordTableOptions) {
  const { records: filter = '', explained = '' } = Object.fromEntries(query);
  const open = new Set(explained.split(',').filter(Boolean).map(Number));
  const isAsked = open.size > 0;
  const explanation = useLoad(`${operationId} ${isAsked ? version : 'closed'}`, (signal) =>
    isAsked ? readExplanation(api, operationId, { signal }) : Promise.resolve(undefined),
  );
  const choices = choicesOf(records, filter);
  // What is chosen may be gone: a record that waits for its next attempt has been written.
  const chosen = choices.find(({ name }) => name === filter)?.records ?? records;
  const shown = chosen.toSorted((one, other) => ranks[one.status] - ranks[other.status] || one.index - other.index);
  const show = (changed: Readonly<Record<string, string>>): void =>
    goTo(hrefOf(`operations/${operationId}`, { ...Object.fromEntries(query), ...changed }));
  const toggle = (index: number): void => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    show({ explained: [...next].join(',') });
  };
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // Who searched for a record comes for it, and what stands above may be long.
    const { length } = namedOf(records, filter);
    if (length > 0 && length < records.length) section.current?.scrollIntoView({ block: 'center' });
  }, [filter]);
  return (
    <section ref={section}>
      <div class="title">
        <h2>Records</h2>
        <Choices
          choices={choices}
          total={records.length}
          chosen={filter}
          onChoose={(name) => show({ records: name })}
        />
      </div>
      {explanation.error === undefined ? null : (
        <Problem error={explanation.error} title="The explanation could not be read" />
      )}
      <Table
        columns={[
          ...facts,
          {
            title: 'Explanation',
            width: 'middle',
            phone: 'aside',
            cell: (record) => (
              <button
                type="button"
                class="small whole-row"
                aria-expanded={open.has(record.index)}
                // What is seen is a part of what is read out.
                aria-label={`${isTroubled(record) ? 'Why: explain' : 'Explain'} record ${record.index}`}
                onClick={() => toggle(record.index)}
              >
                {isTroubled(record) ? 'Why' : 'Explain'}
              </button>
            ),
          },
        ]}
        class="records"
        rows={shown}
        keyOf={({ index }) => String(index)}
        isClickable
        below={({ index }) => (open.has(index) ? <Timeline index={index} explanation={explanation.value} /> : null)}
      />
    </section>
  );
}

interface ChoicesOptions {
  readonly choices: readonly Choice[];
  readonly total: number;
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

function Choices({ choices, total, chosen, onChoose }: ChoicesOptions) {
  if (choices.length === 0) return null;
  return (
    <select
      class="small"
      aria-label="Which records"
      value={choices.some(({ name }) => name === chosen) ? chosen : ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">All {pluralize(total, 'record')}</option>
      {choices.map(({ name, records: { length } }) => (
        <option key={name} value={name}>
          {name} ({length})
        </option>
      ))}
    </select>
  );
}

interface Choice {
  readonly name: string;
  readonly records: readonly OperationRecord[];
}

/** Those that the caller, the provider or the value of a field names so. */
const namedOf = (records: readonly OperationRecord[], name: string): readonly OperationRecord[] =>
  name === ''
    ? []
    : records.filter(({ ref, recordId, identifiedBy }) => [ref, recordId, identifiedBy?.value].includes(name));

/**
 * Parts of the records by which a reader narrows the table: what was not written, each problem, and the record that was searched for.
 * Empty: there is nothing to choose.
 */
function choicesOf(records: readonly OperationRecord[], name: string): readonly Choice[] {
  const troubled = records.filter(isTroubled);
  const problems = groupProblems(records).map(({ class: failed, problem: { field, code }, sentence, records: of }) => ({
    name: [field, code ?? (field === undefined ? sentence.slice(0, 60) : failed)].filter(Boolean).join(': '),
    records: of,
  }));
  const parts = [{ name: 'Not written', records: troubled }, ...problems, { name, records: namedOf(records, name) }];
  return parts.filter(({ records: { length } }) => length > 0 && length < records.length);
}

interface TimelineOptions {
  readonly index: number;
  readonly explanation: OperationExplanation | undefined;
}

/** The steps of a record, in the words of `sluice op explain`. Moments are in UTC. */
function Timeline({ index, explanation }: TimelineOptions) {
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
