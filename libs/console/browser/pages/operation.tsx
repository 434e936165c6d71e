import type { Operation, OperationProgress, OperationRecord } from '@sluice/types';
import { useEffect, useState } from 'preact/hooks';
import { OperationBadge } from '../parts/badge';
import { BatchView } from '../parts/batch-view';
import { Held } from '../parts/held';
import { Moment } from '../parts/moment';
import { CancelButton, FailedRecordsButton, RetryButton } from '../parts/operation-actions';
import { OperationLog } from '../parts/operation-log';
import { Problem } from '../parts/problem';
import { ProblemGroups } from '../parts/problem-groups';
import { RecordTable } from '../parts/record-table';
import { Skeleton } from '../parts/skeleton';
import { shortId } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

/** While it fills and drains. */
const everyMs = 1_000;
/** An operation holds no more. */
const recordsMax = 100;

interface LoadedOperation {
  readonly operation: Operation;
  readonly progress: OperationProgress;
  readonly records: readonly OperationRecord[];
}

/** One operation: how far it is, what became of each record, and what happened to it. */
export function OperationPage({ session, operationId }: { readonly session: Session; readonly operationId: string }) {
  const api = apiOf(session.apiKey, session.project.id);
  const [reloads, setReloads] = useState(0);
  const { value, error } = useLoad(`${operationId} ${reloads}`, (signal) => loadOperation(api, operationId, signal), {
    everyMs,
    isOver: ({ operation }) => operation.status !== 'in_progress',
  });
  const title = value && `${value.operation.resource} ${value.progress.type} ${shortId(operationId)} · Sluice`;
  useEffect(() => {
    if (title !== undefined) document.title = title;
  }, [title]);
  if (value === undefined)
    return error === undefined ? (
      <Skeleton of="card" />
    ) : (
      <Problem error={error} title="The operation could not be read" />
    );
  const { operation, progress, records } = value;
  const actions = { api, operation, progress, records, onDone: () => setReloads(reloads + 1) };
  return (
    <>
      <a class="back" href={hrefOf('operations')}>
        ← Operations
      </a>
      <div class="title">
        <h1>
          {operation.resource} <span class="fine">{progress.type}</span>
        </h1>
        <span role="status">
          <OperationBadge operation={operation} />
        </span>
        <div class="actions">
          <FailedRecordsButton operationId={operation.id} records={records} />
          {isOffered(session, 'frontend') ? (
            <>
              <CancelButton {...actions} />
              <RetryButton {...actions} />
            </>
          ) : null}
        </div>
      </div>
      <p class="fine facts">
        <Customer operation={operation} groupRef={progress.groupRef} /> · <code>{operation.id}</code> · {progress.mode}{' '}
        · accepted <Moment of={operation.createTime} />
      </p>
      {progress.held === undefined ? null : (
        <section class="attention" aria-label="Held for credentials">
          <Held session={session} held={progress.held} />
        </section>
      )}
      {operation.result === undefined || operation.metadata?.records?.failed ? null : (
        <p class="result">{operation.result}</p>
      )}
      {error === undefined ? null : <Problem error={error} title="The operation could not be read again" />}
      <BatchView progress={progress} records={records} />
      <ProblemGroups records={records} />
      <OperationLog api={api} operation={operation} />
      <RecordTable
        api={api}
        operationId={operation.id}
        records={records}
        version={[operation.updateTime, operation.status, operation.metadata?.retry?.lastAttempt, reloads].join(' ')}
      />
    </>
  );
}

/** One after the other: when the operation has ended, so has everything that is read of it afterwards. */
async function loadOperation(api: Api, operationId: string, signal: AbortSignal): Promise<LoadedOperation> {
  const operation = await api.getOperation({ operationId }, { signal });
  const progress = await api.getOperationProgress({ operationId }, { signal });
  const { results: records } = await api.listOperationRecords({ operationId, pageSize: recordsMax }, { signal });
  return { operation, progress, records };
}

/** Whose operation it is, with the way to all of theirs. */
function Customer({ operation, groupRef }: { readonly operation: Operation; readonly groupRef: string | undefined }) {
  const { installationId } = operation;
  return (
    <>
      <a href={hrefOf('operations', { groupRef, installationId })}>{groupRef ?? 'a deleted customer'}</a>, installation{' '}
      <code title={installationId}>{shortId(installationId)}</code>
    </>
  );
}
