import { pluralize, type Log, type Operation } from '@sluice/types';
import { useState } from 'preact/hooks';
import { inFull } from '../format';
import type { Api } from '../session';
import { hrefOf } from '../use-route';
import { useLoad } from '../use-load';
import { Problem } from './problem';

/** The latest lines, which are shown at first: they explain the current state. */
const linesMax = 8;

interface LogOptions {
  readonly api: Api;
  readonly operation: Operation;
  /** Only its heading is shown until it is asked for. */
  readonly isFolded: boolean;
}

/** What happened to the operation, oldest first. Read again when the operation has changed. */
export function OperationLog({ api, operation, isFolded }: LogOptions) {
  const { id, updateTime, status, metadata } = operation;
  const [isWhole, setWhole] = useState(false);
  const of = [id, updateTime, status, metadata?.retry?.lastAttempt].join(' ');
  const log = useLoad(of, (signal) => api.listOperationLogs({ operationId: id }, { signal }));
  if (log.error !== undefined) return <Problem error={log.error} title="The log could not be read" />;
  if (log.value === undefined) return null;
  const hidden = isWhole ? 0 : Math.max(0, log.value.length - linesMax);
  return (
    <details class="log-fold" open={!isFolded}>
      <summary>
        <h2>Log</h2> <span class="fine">{pluralize(log.value.length, 'line')}</span>
      </summary>
      <ol class="log">
        {hidden === 0 ? null : (
          <li>
            <button type="button" class="link" onClick={() => setWhole(true)}>
              Show {pluralize(hidden, 'earlier line')}
            </button>
          </li>
        )}
        {log.value.slice(hidden).map((line, index) => (
          <LogLine key={hidden + index} line={line} />
        ))}
      </ol>
    </details>
  );
}

function LogLine({ line: { timestamp, severity, message } }: { readonly line: Log }) {
  const { msg, details: { replayedBy, replayOf } = {} } = message;
  return (
    <li class={severity.toLowerCase()}>
      <time dateTime={timestamp} title={inFull(timestamp)}>
        {isToday(timestamp) ? '' : `${timestamp.slice(0, 10)} `}
        {timestamp.slice(11, 23)}
      </time>
      <span>
        <WithLink text={msg} operationId={replayedBy ?? replayOf} />
      </span>
    </li>
  );
}

/** The times are in UTC, and so is the day. */
const isToday = (moment: string): boolean => moment.slice(0, 10) === new Date().toISOString().slice(0, 10);

/** A sentence, in which the id of another operation leads there. */
function WithLink({ text, operationId = '' }: { readonly text: string; readonly operationId?: string | undefined }) {
  const at = operationId === '' ? -1 : text.indexOf(operationId);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <a href={hrefOf(`operations/${operationId}`)}>{operationId}</a>
      {text.slice(at + operationId.length)}
    </>
  );
}
