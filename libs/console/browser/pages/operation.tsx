import type { Operation, OperationProgress, OperationRecord } from '@sluice/types';
import { useState } from 'preact/hooks';
import { OperationBadge } from '../parts/badge';
import { BatchView, sentenceOf } from '../parts/batch-view';
import { CustomerName } from '../parts/customer-name';
import { Held } from '../parts/held';
import { CancelButton, FailedRecordsButton, RetryButton } from '../parts/operation-actions';
import { Moment } from '../parts/moment';
import { OperationLog } from '../parts/operation-log';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { ProblemGroups } from '../parts/problem-groups';
import { RecordTable } from '../parts/record-table';
import { RetriedAs } from '../parts/retried-as';
import { ShortId } from '../parts/short-id';
import { Skeleton } from '../parts/skeleton';
import { WaitPanel } from '../parts/wait-panel';
import { shortId } from '../format';
import { hrefOf, lastHrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

/** While it fills and drains. */
const everyMs = 1_000;
/** The customer may connect again meanwhile. */
const refusalMs = 5_000;
/** An operation holds no more. */
const recordsMax = 100;

interface LoadedOperation {
  readonly operation: Operation;
  readonly progress: OperationProgress;
  readonly records: readonly OperationRecord[];
}

interface PageOptions {
  readonly session: Session;
  readonly operationId: string;
  /** Which records are shown, and which of them are explained. */
  readonly query: URLSearchParams;
}

/** One operation: what became of it, what went wrong, how far it is, and each record. */
export function OperationPage({ session, operationId, query }: PageOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const [reloads, setReloads] = useState(0);
  const { value, error } = useLoad(`${operationId} ${reloads}`, (signal) => loadOperation(api, operationId, signal), {
    everyMs,
    isOver: ({ operation }) => operation.status !== 'in_progress',
  });
  const isRefused = useRefusal(api, value?.operation);
  if (value === undefined)
    return error === undefined ? <Loading /> : <Problem error={error} title="The operation could not be read" />;
  const { operation, progress, records } = value;
  const { failed, unknown } = progress.records;
  const actions = { api, operation, progress, records, isRefused, onDone: () => setReloads(reloads + 1) };
  const mayChange = isOffered(session, 'frontend');
  return (
    <>
      <PageHead
        back={{ href: lastHrefOf('operations'), text: 'Operations' }}
        tabTitle={`${operation.resource} ${progress.type} ${shortId(operationId)}`}
        title={
          <>
            {operation.resource} <span class="fine">{progress.type}</span>
          </>
        }
        status={<OperationBadge operation={operation} />}
        lead={<span class="sentence">{sentenceOf(progress)}</span>}
        actions={
          <>
            <FailedRecordsButton operationId={operation.id} records={records} />
            {mayChange ? <CancelButton {...actions} /> : null}
            {mayChange ? <RetryButton {...actions} /> : null}
          </>
        }
      />
      <Facts operation={operation} progress={progress} />
      <WaitPanel operation={operation} progress={progress} />
      {progress.held === undefined ? null : (
        <section class="attention" aria-label="Held for credentials">
          <Held session={session} held={progress.held} />
        </section>
      )}
      {operation.result === undefined || operation.status !== 'failure' || failed + unknown > 0 ? null : (
        <p class="result">{operation.result}</p>
      )}
      <RetriedAs records={records} />
      {error === undefined ? null : <Problem error={error} title="The operation could not be read again" />}
      <ProblemGroups
        records={records}
        progress={progress}
        installationId={operation.installationId}
        isRefused={isRefused}
      />
      <BatchView progress={progress} records={records} />
      <OperationLog
        api={api}
        operation={operation}
        isFolded={operation.status === 'success' && failed + unknown === 0}
      />
      <RecordTable
        api={api}
        operationId={operation.id}
        records={records}
        query={query}
        version={[operation.updateTime, operation.status, operation.metadata?.retry?.lastAttempt, reloads].join(' ')}
      />
    </>
  );
}

function Loading() {
  return (
    <>
      <Skeleton of="text" rows={3} />
      <Skeleton of="table" />
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

/** Whether the provider refuses the customer's credentials now: a retry of what failed would wait as well. */
function useRefusal(api: Api, operation: Operation | undefined): boolean {
  const isTroubled = operation !== undefined && operation.status !== 'in_progress' && hasFailures(operation);
  const { value } = useLoad(
    isTroubled ? `refusal ${operation.id}` : 'no refusal',
    async (signal) => {
      if (!isTroubled) return undefined;
      const { installationId } = operation;
      return (await api.listInstallationHealth({ installationId }, { signal })).results[0];
    },
    { everyMs: refusalMs, isOver: () => !isTroubled },
  );
  return value?.connection.status === 'bad_credentials';
}

const hasFailures = ({ status, metadata }: Operation): boolean =>
  status === 'failure' || (metadata?.records?.failed ?? 0) > 0;

interface FactsOptions {
  readonly operation: Operation;
  readonly progress: OperationProgress;
}

/** Whose operation it is, with the way to the customer and to all operations of the integration there. */
function Facts({ operation, progress }: FactsOptions) {
  const { installationId } = operation;
  const { groupRef, groupName, integrationName, mode, replayOf } = progress;
  return (
    <p class="fine facts operation-facts">
      {groupRef === undefined ? (
        <span>a deleted customer</span>
      ) : (
        <a href={hrefOf(`customers/${installationId}`)}>
          <CustomerName groupRef={groupRef} groupName={groupName} />
        </a>
      )}
      <a
        href={hrefOf('operations', { groupRef, installationId })}
        title="All operations of this customer's integration"
      >
        {integrationName ?? 'a deleted integration'}
      </a>
      <span>{mode}</span>
      {replayOf === undefined ? null : (
        <span>
          retry of{' '}
          <a href={hrefOf(`operations/${replayOf}`)} title={replayOf}>
            {shortId(replayOf)}
          </a>
        </span>
      )}
      <span>
        accepted <Moment of={operation.createTime} />
      </span>
      <ShortId id={operation.id} of="the operation" />
    </p>
  );
}
