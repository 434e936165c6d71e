import {
  groupProblems,
  nameOfRecord,
  pluralize,
  whyNoRetry,
  type OperationProgress,
  type OperationRecord,
  type ProblemGroup,
} from '@sluice/types';
import { useState } from 'preact/hooks';
import { hrefOf } from '../use-route';

/** Records that a group shows before it is asked for all. */
const shownFirst = 3;

interface GroupsOptions {
  readonly records: readonly OperationRecord[];
  readonly progress: OperationProgress;
  readonly installationId: string;
  /** The provider refuses the customer's credentials now. */
  readonly isRefused: boolean;
}

/** What went wrong in an operation: each problem once, with what to do and the records that have it. */
export function ProblemGroups({ records, progress, installationId, isRefused }: GroupsOptions) {
  const groups = groupProblems(records);
  if (groups.length === 0) return null;
  return (
    <section class="panel problems" aria-label="What went wrong">
      {groups.map((group) => (
        <Group
          key={JSON.stringify([group.class, group.problem])}
          group={group}
          mode={progress.mode}
          installationId={installationId}
          isRefused={isRefused}
        />
      ))}
    </section>
  );
}

interface GroupOptions extends Pick<GroupsOptions, 'installationId' | 'isRefused'> {
  readonly group: ProblemGroup;
  readonly mode: string;
}

function Group({
  group: { class: failed, problem, sentence, records, messages },
  mode,
  installationId,
  isRefused,
}: GroupOptions) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? records : records.slice(0, shownFirst);
  const isRetried = records.every(({ replayedBy }) => replayedBy !== undefined);
  const isOfConnection =
    ['credentials', 'forbidden'].includes(failed) || (isRefused && whyNoRetry(failed) === undefined);
  return (
    <div class="group">
      <p class="what">
        <b>{pluralize(records.length, 'record')}</b> <span class="class">{failed}</span>{' '}
        {problem.field === undefined ? null : <b>{problem.field}: </b>}
        {sentence} {problem.code === undefined ? null : <code>{problem.code}</code>}
      </p>
      <p class="remedy">
        {isRetried ? 'They were retried.' : remedyOf(failed, mode, isRefused)}
        {isOfConnection && !isRetried ? (
          <>
            {' '}
            <a href={hrefOf(`customers/${installationId}`)}>Open the customer's connection</a>
          </>
        ) : null}
      </p>
      <ul>
        {shown.map((record, at) => (
          <li key={record.index} title={`${nameOf(record)}: ${messages[at]}`}>
            {nameOf(record)}
            {messages[at] === sentence || record.identifiedBy?.field === problem.field ? null : (
              <span class="fine">: {messages[at]}</span>
            )}
          </li>
        ))}
        {records.length <= shownFirst ? null : (
          <li>
            <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Show fewer' : `Show all ${records.length}`}
            </button>
          </li>
        )}
      </ul>
    </div>
  );
}

/** What to do about a problem. @param mode of the operation: a synchronous one cannot be retried here */
function remedyOf(failed: string, mode: string, isRefused: boolean): string {
  const why = whyNoRetry(failed);
  if (why !== undefined) return why;
  if (failed === 'credentials' || isRefused)
    return 'The customer must connect again, or give new credentials. Then retry.';
  if (mode === 'synchronous') return 'The same values may be accepted now: send the write again from your backend.';
  return 'The same values may be accepted now: retry.';
}

function nameOf(record: OperationRecord): string {
  const name = nameOfRecord(record);
  return name === undefined ? `record ${record.index}` : `${name} (record ${record.index})`;
}
