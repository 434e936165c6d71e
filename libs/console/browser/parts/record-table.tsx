import type { OperationRecord } from '@sluice/types';
import { useState } from 'preact/hooks';
import { counted, shortId } from '../format';
import { hrefOf } from '../use-route';
import { Badge } from './badge';

/** What became of each record, in accept order, with the provider's own words. */
export function RecordTable({ records }: { readonly records: readonly OperationRecord[] }) {
  const [isNarrow, setNarrow] = useState(false);
  const troubled = records.filter(({ status }) => status === 'failed' || status === 'unknown');
  const shown = isNarrow && troubled.length > 0 ? troubled : records;
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
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th class="number index">#</th>
              <th>Outcome</th>
              <th>Record id</th>
              <th class="wide">Provider's answer</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((record) => (
              <RecordRow key={record.index} record={record} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function RecordRow({ record }: { readonly record: OperationRecord }) {
  const { index, ref, status, recordId, error, warnings, replayedBy } = record;
  return (
    <tr>
      <td class="number">{index}</td>
      <td>
        <Badge of={status} />
      </td>
      <td>
        {recordId === undefined ? null : <code>{recordId}</code>}
        {ref === undefined ? null : <div class="fine">ref {ref}</div>}
      </td>
      <td class="wide answer">
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
    </tr>
  );
}
