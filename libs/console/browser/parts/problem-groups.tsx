import { groupProblems, pluralize, whyNoRetry, type OperationRecord, type ProblemGroup } from '@sluice/types';
import { useState } from 'preact/hooks';

/** Records that a group shows before it is asked for all. */
const shownFirst = 3;

/** What went wrong in an operation: each problem once, with the records that have it. */
export function ProblemGroups({ records }: { readonly records: readonly OperationRecord[] }) {
  const groups = groupProblems(records);
  if (groups.length === 0) return null;
  return (
    <section class="panel problems" aria-label="What went wrong">
      {groups.map((group) => (
        <Group key={JSON.stringify([group.class, group.problem])} group={group} />
      ))}
    </section>
  );
}

function Group({ group: { class: failed, problem, records } }: { readonly group: ProblemGroup }) {
  const [isOpen, setOpen] = useState(false);
  const advice = whyNoRetry(failed);
  const shown = isOpen ? records : records.slice(0, shownFirst);
  return (
    <div class="group">
      <p>
        <b>{pluralize(records.length, 'record')}</b> <span class="class">{failed}</span>{' '}
        {problem.field === undefined ? null : <b>{problem.field}: </b>}
        {problem.message} {problem.code === undefined ? null : <code>{problem.code}</code>}
      </p>
      <ul>
        {shown.map((record) => (
          <li key={record.index}>{nameOf(record)}</li>
        ))}
        {records.length <= shownFirst ? null : (
          <li>
            <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Show fewer' : `Show all ${records.length}`}
            </button>
          </li>
        )}
      </ul>
      {advice === undefined ? null : <p class="fine">{advice}</p>}
    </div>
  );
}

/** By what its caller knows the record: its ref, else the provider's id. */
function nameOf({ index, ref, recordId }: OperationRecord): string {
  const name = ref === undefined ? recordId : `ref ${ref}`;
  return name === undefined ? `record ${index}` : `${name} (record ${index})`;
}
