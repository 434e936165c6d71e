import { pluralize, type Operation } from '@sluice/types';
import { useState } from 'preact/hooks';
import { shortId } from '../format';
import { noteFailure } from '../network';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { hrefOf } from '../use-route';
import { Confirm } from './confirm';
import { GuideLink } from './guide-link';
import { retryableOf } from './operation-actions';
import { Problem } from './problem';

/** An operation holds no more. */
const recordsMax = 100;

interface Found {
  readonly operation: Operation;
  /** That failed and were not retried yet. */
  readonly records: number;
  /** Absent: it can be retried. */
  readonly whyNot?: string;
}

interface Outcome {
  readonly retried: number;
  readonly refused: readonly { readonly id: string; readonly detail: string }[];
}

interface RetryOptions {
  readonly session: Session;
  /** Those that the page shows. */
  readonly operations: readonly Operation[];
  readonly onDone: () => void;
}

/** Writes again what failed of the operations of a page, one after the other: those of which the same values may be written now. */
export function RetryThese({ session, operations, onDone }: RetryOptions) {
  const failed = operations.filter(hasFailures);
  const { progress, found, outcome, error, find, retry, leave } = useRetries(session, failed);
  if (!isOffered(session, 'frontend') || (failed.length === 0 && outcome === undefined)) return null;
  const retryable = found?.filter(isRetryable) ?? [];
  const count = retryable.length;
  return (
    <div class="retry-these">
      <button type="button" disabled={progress !== ''} onClick={() => void find()}>
        Retry these {failed.length}…
      </button>
      <span class="fine" role="status">
        {count === 0 ? progress : ''}
        {found === undefined || count > 0 ? '' : 'None of them can be retried.'}
        {outcome === undefined ? null : <Result outcome={outcome} />}
      </span>
      {found === undefined || count > 0 ? null : <LeftOut found={found} />}
      {error === undefined ? null : <Problem error={error} title="The failed records could not be read" />}
      {count === 0 ? null : (
        <Confirm
          title={`Retry ${pluralize(count, 'operation')}?`}
          verb={`Retry ${count}`}
          onConfirm={async () => {
            await retry();
            onDone();
          }}
          onClose={leave}
        >
          <p>
            {pluralize(sumOf(retryable), 'failed record')} of {pluralize(count, 'operation')} of this page: each is
            written once more, with what was accepted then. Where the provider refuses a customer's credentials, the
            retry waits for new ones. <GuideLink of="retry">What a retry does</GuideLink>
          </p>
          <LeftOut found={found ?? []} />
          <p role="status">{progress}</p>
        </Confirm>
      )}
    </div>
  );
}

/** Which of the operations can be retried, what is being done, and what came of it. */
function useRetries(session: Session, failed: readonly Operation[]) {
  const api = apiOf(session.apiKey, session.project.id);
  const [progress, setProgress] = useState('');
  const [found, setFound] = useState<readonly Found[]>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>();
  const find = async (): Promise<void> => {
    setOutcome(undefined);
    setError(undefined);
    const read: Found[] = [];
    try {
      for (const [at, operation] of failed.entries()) {
        setProgress(`Reading ${at + 1} of ${failed.length}`);
        read.push({ operation, ...(await readRetryable(api, operation.id)) });
      }
      setFound(read);
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
    setProgress('');
  };
  const retry = async (): Promise<void> => {
    const asked = found?.filter(isRetryable) ?? [];
    const refused: { id: string; detail: string }[] = [];
    for (const [at, { operation }] of asked.entries()) {
      const { id } = operation;
      setProgress(`Retrying ${at + 1} of ${asked.length}`);
      try {
        await api.replayOperation({ operationId: id, force: false });
      } catch (caught) {
        noteFailure(caught);
        refused.push({ id, detail: detailOf(caught) });
      }
    }
    setOutcome({ retried: asked.length - refused.length, refused });
    setFound(undefined);
    setProgress('');
  };
  return { progress, found, outcome, error, find, retry, leave: () => setFound(undefined) };
}

function Result({ outcome: { retried, refused } }: { readonly outcome: Outcome }) {
  return (
    <>
      {pluralize(retried, 'operation')} retried:{' '}
      <a href={hrefOf('operations', { status: 'in_progress' })}>those in progress</a>
      {refused.map(({ id, detail }) => (
        <span key={id} class="bad-text">
          {' · '}
          <a href={hrefOf(`operations/${id}`)} title={id}>
            {shortId(id)}
          </a>{' '}
          {detail}
        </span>
      ))}
    </>
  );
}

/** Those that a retry leaves, each with the reason. */
function LeftOut({ found }: { readonly found: readonly Found[] }) {
  const others = found.filter((one) => !isRetryable(one));
  if (others.length === 0) return null;
  return (
    <details class="left-out">
      <summary>{pluralize(others.length, 'operation')} left out, and why</summary>
      <ul class="tall">
        {others.map(({ operation: { id, groupName, groupRef }, whyNot }) => (
          <li key={id}>
            <a href={hrefOf(`operations/${id}`)} title={id}>
              {groupName ?? groupRef ?? ''} {shortId(id)}
            </a>
            : {whyNot}
          </li>
        ))}
      </ul>
    </details>
  );
}

const isRetryable = ({ whyNot }: Found): boolean => whyNot === undefined;

const sumOf = (found: readonly Found[]): number => found.reduce((sum, { records }) => sum + records, 0);

const hasFailures = ({ status, metadata }: Operation): boolean =>
  status !== 'in_progress' && (metadata?.records?.failed ?? 0) > 0;

/** As the page of the operation offers it. Records of unknown outcome are retried there alone. */
async function readRetryable(api: Api, operationId: string): Promise<Omit<Found, 'operation'>> {
  const { results } = await api.listOperationRecords({ operationId, status: 'failed', pageSize: recordsMax });
  const { mode } = await api.getOperationProgress({ operationId });
  const { failed, whyNot } = retryableOf(results, mode);
  return { records: failed, ...(whyNot === undefined ? {} : { whyNot }) };
}

const detailOf = (error: unknown): string =>
  (error as { readonly detail?: string }).detail ?? (error instanceof Error ? error.message : String(error));
