import { toExport, type OperationRecord } from '@sluice/types';
import { useState } from 'preact/hooks';
import { shortId } from '../format';
import type { Api } from '../session';
import { Confirm } from './confirm';
import { readExplanation } from './record-table';

interface ExportOptions {
  readonly api: Api;
  readonly operationId: string;
  readonly records: readonly OperationRecord[];
}

/** Hands an operation over: its outcomes as a table, or its course as `sluice op export` writes it. */
export function ExportButton({ api, operationId, records }: ExportOptions) {
  const [isAsking, setAsking] = useState(false);
  const [format, setFormat] = useState<'csv' | 'json'>('csv');
  const save = async (): Promise<void> => {
    const name = `operation-${shortId(operationId)}.${format}`;
    if (format === 'csv') download(name, 'text/csv', toCsv(records));
    else {
      const explanation = await readExplanation(api, operationId, new AbortController().signal);
      download(name, 'application/json', `${JSON.stringify(toExport(explanation), null, 2)}\n`);
    }
    setAsking(false);
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Export…
      </button>
      {isAsking ? (
        <Confirm title="Export this operation" verb="Export" onConfirm={save} onClose={() => setAsking(false)}>
          <label class="check">
            <input type="radio" name="format" checked={format === 'csv'} onChange={() => setFormat('csv')} />
            Its records as CSV: reference, outcome, id at the provider, and the provider's words, which may quote values
          </label>
          <label class="check">
            <input type="radio" name="format" checked={format === 'json'} onChange={() => setFormat('json')} />
            Its course as JSON, without values, references and the provider's words: for whoever maintains Sluice
          </label>
        </Confirm>
      ) : null}
    </>
  );
}

const columns = ['index', 'ref', 'status', 'recordId', 'class', 'message', 'replayedBy'] as const;

function toCsv(records: readonly OperationRecord[]): string {
  const rows = records.map(({ index, ref, status, recordId, error, replayedBy }) =>
    [String(index), ref, status, recordId, error?.class, error?.message, replayedBy].map(cellOf),
  );
  return [columns.join(','), ...rows.map((row) => row.join(','))].join('\r\n') + '\r\n';
}

/** Source: RFC 4180. What a spreadsheet would take for a formula is marked as text: others wrote it. */
function cellOf(text = ''): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
