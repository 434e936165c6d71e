import { pluralize, whyNoRetry, type Operation } from '@sluice/types';
import { useState } from 'preact/hooks';
import { shortId } from '../format';
import { noteFailure } from '../network';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { hrefOf } from '../use-route';
import { Confirm } from './confirm';
import { GuideLink } from './guide-link';
import { Problem } from './problem';

/** An operation holds no more. */
const recordsMax = 100;

interface Retryable {
  readonly id: string;
  /** That failed and were not retried yet. */
  readonly records: number;
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
  const count = found?.length ?? 0;
  return (
    <div class="retry-these">
      <button type="button" disabled={progress !== ''} onClick={() => void find()}>
        Retry these…
      </button>
      <span class="fine" role="status">
        {count === 0 ? progress : ''}
        {found === undefined || count > 0 ? '' : 'None can: the same values would be refused again, or were retried.'}
        {outcome === undefined ? null : <Result outcome={outcome} />}
      </span>
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
            {pluralize(sumOf(found ?? []), 'failed record')} of {pluralize(count, 'operation')} of this page: each is
            written once more, with what was accepted then. Where the provider refuses a customer's credentials, the
            retry waits for new ones. <GuideLink of="retry">What a retry does</GuideLink>
          </p>
          {count === failed.length ? null : (
            <p class="fine">
              {pluralize(failed.length - count, 'other')} left out: the same values would be refused again, were
              retried, or were written synchronously.
            </p>
          )}
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
  const [found, setFound] = useState<readonly Retryable[]>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>();
  const find = async (): Promise<void> => {
    setOutcome(undefined);
    setError(undefined);
    const retryable: Retryable[] = [];
    try {
      for (const [at, { id }] of failed.entries()) {
        setProgress(`Reading ${at + 1} of ${failed.length}`);
        const records = await retryableRecords(api, id);
        if (records > 0) retryable.push({ id, records });
      }
      setFound(retryable);
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
    setProgress('');
  };
  const retry = async (): Promise<void> => {
    const asked = found ?? [];
    const refused: { id: string; detail: string }[] = [];
    for (const [at, { id }] of asked.entries()) {
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

const sumOf = (found: readonly Retryable[]): number => found.reduce((sum, { records }) => sum + records, 0);

const hasFailures = ({ status, metadata }: Operation): boolean =>
  status !== 'in_progress' && (metadata?.records?.failed ?? 0) > 0;

/** How many records of an operation a retry would write; none where its own page offers no retry. */
async function retryableRecords(api: Api, operationId: string): Promise<number> {
  const { results } = await api.listOperationRecords({ operationId, status: 'failed', pageSize: recordsMax });
  const left = results.filter(({ replayedBy }) => replayedBy === undefined);
  if (!left.some(({ error }) => error !== undefined && whyNoRetry(error.class) === undefined)) return 0;
  const { mode } = await api.getOperationProgress({ operationId });
  return mode === 'synchronous' ? 0 : left.length;
}

const detailOf = (error: unknown): string =>
  (error as { readonly detail?: string }).detail ?? (error instanceof Error ? error.message : String(error));
