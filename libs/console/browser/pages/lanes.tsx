import type { Lane } from '@sluice/types';
import { Badge } from '../parts/badge';
import { Empty } from '../parts/empty';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { counted, fromNow, grouped, inFull } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 2_000;
/** The service stops counting there: `laneCallsMax` of @sluice/types, of which a browser takes types only. */
const callsMax = 1_000;

/** The queues of the provider accounts: what waits, and what holds it back. */
export function LanesPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const pageToken = query.get('pageToken');
  const list = useLoad(
    query.toString(),
    (signal) =>
      apiOf(session.apiKey, session.project.id).listLanes(
        { pageSize, ...(pageToken === null ? {} : { pageToken }) },
        { signal },
      ),
    { everyMs },
  );
  const next = list.value?.pagination.nextPageToken;
  return (
    <>
      <h1>Lanes</h1>
      <p class="lead">Each provider account has one. When the provider refuses a call, all of its lane waits.</p>
      {list.error === undefined ? null : <Problem error={list.error} title="The lanes could not be read" />}
      {list.value === undefined ? null : list.value.results.length === 0 ? (
        <Empty title="No lane yet">One appears with the first connection of a customer's account.</Empty>
      ) : (
        <>
          <LaneTable lanes={list.value.results} />
          <Pager
            {...(pageToken === null ? {} : { firstHref: hrefOf('lanes') })}
            {...(next === undefined ? {} : { nextHref: hrefOf('lanes', { pageToken: next }) })}
          />
        </>
      )}
    </>
  );
}

const columns = [
  ['running', 'Running', 'Being sent'],
  ['ready', 'Ready', 'May be sent now'],
  ['retrying', 'Retrying', 'Wait for the moment of their next attempt'],
  ['inDoubt', 'In doubt', 'Sent; what became of them is being looked up'],
  ['waiting', 'Waiting', 'Stand behind an earlier write to the same record'],
] as const;

function LaneTable({ lanes }: { readonly lanes: readonly Lane[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>State</th>
            <th>Account</th>
            <th class="wide">Groups</th>
            <th>Quota</th>
            {columns.map(([name, title, meaning]) => (
              <th key={name} class="number" title={meaning}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => (
            <LaneRow key={lane.id} lane={lane} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LaneRow({ lane }: { readonly lane: Lane }) {
  const { provider, workspaceRef, groupRefs, blockedUntil, lastError, callsAtOnceMax, quota, calls } = lane;
  const state = blockedUntil !== undefined ? 'blocked' : callsAtOnceMax !== undefined ? 'recovering' : 'open';
  return (
    <tr>
      <td>
        <Badge of={state} />
        {blockedUntil === undefined ? null : (
          <div class="fine" title={inFull(blockedUntil)}>
            asked again {fromNow(blockedUntil)}
          </div>
        )}
        {state !== 'recovering' || callsAtOnceMax === undefined ? null : (
          <div class="fine">{grouped(callsAtOnceMax)} at once</div>
        )}
      </td>
      <td>
        {provider}
        <div class="fine">{workspaceRef}</div>
      </td>
      <td class="wide">
        {groupRefs.join(', ')}
        {lastError === undefined || state === 'open' ? null : <div class="answer bad-text">{lastError}</div>}
      </td>
      <td>
        {quota === undefined ? null : `${counted(quota.limit, 'call')} in ${grouped(quota.windowSeconds)} s`}
        {quota?.left === undefined ? null : <div class="fine">{grouped(quota.left)} left now</div>}
      </td>
      {columns.map(([name]) => (
        <td key={name} class={calls[name] === 0 ? 'number fine' : 'number'}>
          {calls[name] < callsMax ? grouped(calls[name]) : `${grouped(callsMax)}+`}
        </td>
      ))}
    </tr>
  );
}
