import {
  pluralize,
  failedRecordLine,
  failedRecordsHeader,
  whyNoRetry,
  type Operation,
  type OperationProgress,
  type OperationRecord,
} from '@sluice/types';
import { useState } from 'preact/hooks';
import { inFull, shortId } from '../format';
import { goTo, hrefOf } from '../use-route';
import type { Api } from '../session';
import { Confirm } from './confirm';
import { GuideLink } from './guide-link';

interface ActionOptions {
  readonly api: Api;
  readonly operation: Operation;
  readonly progress: OperationProgress;
  readonly records: readonly OperationRecord[];
  /** The provider refuses the customer's credentials now. */
  readonly isRefused: boolean;
  /** Something was done; what is shown is old. */
  readonly onDone: () => void;
}

/** Ends an asynchronous operation early. */
export function CancelButton({ api, operation, progress, onDone }: ActionOptions) {
  const [isAsking, setAsking] = useState(false);
  const isPossible =
    operation.status === 'in_progress' && progress.mode !== 'synchronous' && progress.cancelRequestTime === undefined;
  if (!isPossible) return null;
  const cancel = async (): Promise<void> => {
    await api.cancelOperation({ operationId: operation.id });
    setAsking(false);
    onDone();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Cancel…
      </button>
      {isAsking ? (
        <Confirm
          title="Cancel this operation?"
          verb="Cancel it"
          isDangerous
          onConfirm={cancel}
          onClose={() => setAsking(false)}
        >
          <p>
            {pluralize(progress.records.pending, 'record')} not decided yet. What has not been sent ends as cancelled;
            what is being sent finishes. A cancelled record can be retried later.
          </p>
        </Confirm>
      ) : null}
    </>
  );
}

/** What a retry of an operation that has ended would write, or why it is not offered. */
interface Retryable {
  readonly failed: number;
  readonly unknown: number;
  readonly whyNot?: string;
}

/** @param records those that failed, or all. @param mode of the operation */
export function retryableOf(records: readonly OperationRecord[], mode: string): Retryable {
  const troubled = records.filter(({ status }) => status === 'failed' || status === 'unknown');
  const left = troubled.filter(({ replayedBy }) => replayedBy === undefined);
  const failed = left.filter(({ status }) => status === 'failed');
  const counts = { failed: failed.length, unknown: left.length - failed.length };
  const mayHelp = counts.unknown > 0 || failed.some(({ error }) => error && whyNoRetry(error.class) === undefined);
  if (troubled.length === 0) return { ...counts, whyNot: 'nothing failed' };
  if (left.length === 0) return { ...counts, whyNot: 'it was retried' };
  if (mode === 'synchronous') return { ...counts, whyNot: 'it was written synchronously: your backend sends it again' };
  return mayHelp ? counts : { ...counts, whyNot: 'the provider would refuse the same values again' };
}

/** Writes failed records again, as a new operation. Offered where the same values may be written now; elsewhere it says why not. */
export function RetryButton({ api, operation, progress, records, isRefused }: ActionOptions) {
  const [isAsking, setAsking] = useState(false);
  const [isForced, setForced] = useState(false);
  const { failed, unknown, whyNot } = retryableOf(records, progress.mode);
  if (progress.phase !== 'ended' || progress.records.failed + progress.records.unknown === 0) return null;
  if (whyNot !== undefined) return <span class="fine no-retry">No retry: {whyNot}.</span>;
  const { retryMs } = progress;
  const until = retryMs === undefined ? undefined : new Date(Date.now() + retryMs).toISOString();
  const retry = async (): Promise<void> => {
    const made = await api.replayOperation({ operationId: operation.id, force: isForced });
    goTo(hrefOf(`operations/${made.id}`));
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => setAsking(true)}>
        Retry…
      </button>
      {isAsking ? (
        <Confirm
          title="Write the failed records again?"
          verb={isRefused ? 'Retry all the same' : 'Retry'}
          onConfirm={retry}
          onClose={() => setAsking(false)}
        >
          {isRefused ? (
            <>
              <p class="attention">
                <span>
                  <strong>The provider still refuses the customer's credentials.</strong> The retry waits for new ones
                  {until === undefined ? '' : ` until ${inFull(until)}`}, and fails then.
                </span>
              </p>
              <p>
                <a class="button" href={hrefOf(`customers/${operation.installationId}`)}>
                  Reconnect first
                </a>
              </p>
            </>
          ) : null}
          <p>
            {pluralize(failed, 'failed record')} will be a new operation, with what was accepted then. Each is retried
            once. <GuideLink of="retry">What a retry does</GuideLink>
          </p>
          {unknown === 0 ? null : (
            <label class="check">
              <input type="checkbox" checked={isForced} onChange={() => setForced(!isForced)} />
              Also {pluralize(unknown, 'record')} of <GuideLink of="outcome">unknown outcome</GuideLink>. Those may then
              be there twice.
            </label>
          )}
        </Confirm>
      ) : null}
    </>
  );
}

interface FailedRecordsOptions {
  readonly operationId: string;
  /** All of the operation. */
  readonly records: readonly OperationRecord[];
}

/** Saves the failed records as `sluice op records --failed --csv` prints them. */
export function FailedRecordsButton({ operationId, records }: FailedRecordsOptions) {
  const failed = records.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return null;
  const save = (): void => {
    const blob = new Blob([failedRecordsHeader, ...failed.map(failedRecordLine)], { type: 'text/csv' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `failed-${shortId(operationId)}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <button type="button" onClick={save}>
      Failed records (CSV)
    </button>
  );
}
