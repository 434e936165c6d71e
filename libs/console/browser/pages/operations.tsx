import type { Operation } from '@sluice/types';
import { Badge } from '../parts/badge';
import { Empty } from '../parts/empty';
import { Filters } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { shortId } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 3_000;

/** Operations of the project, newest first, a page at a time as the server cuts it. */
export function OperationsPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const api = apiOf(session.apiKey, session.project.id);
  const asked = Object.fromEntries(query);
  const list = useLoad(
    query.toString(),
    (signal) => api.listOperationsForProject({ ...(asked as object), pageSize }, { signal }),
    { everyMs },
  );
  const integrations = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  const names = new Map(integrations.value?.map(({ id, name }) => [id, name]));
  const { pageToken: _first, ...filters } = asked;
  const next = list.value?.pagination.nextPageToken;
  return (
    <>
      <h1>Operations</h1>
      <Filters query={new URLSearchParams(filters)} />
      {list.error === undefined ? null : <Problem error={list.error} title="The operations could not be read" />}
      {list.value === undefined ? null : list.value.results.length === 0 ? (
        <Nothing session={session} isFiltered={query.size > 0} />
      ) : (
        <>
          <OperationTable operations={list.value.results} names={names} />
          <Pager
            {...(query.has('pageToken') ? { firstHref: hrefOf('operations', filters) } : {})}
            {...(next === undefined ? {} : { nextHref: hrefOf('operations', { ...filters, pageToken: next }) })}
          />
        </>
      )}
    </>
  );
}

function OperationTable({ operations, names }: TableOptions) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Status</th>
            <th>Object</th>
            <th>Integration</th>
            <th class="wide">Result</th>
            <th>Accepted</th>
            <th>Operation</th>
          </tr>
        </thead>
        <tbody>
          {operations.map((operation) => (
            <tr key={operation.id}>
              <td>
                <Badge of={operation.status} />
              </td>
              <td>{operation.resource}</td>
              <td>{names.get(operation.integrationId) ?? shortId(operation.integrationId)}</td>
              <td class="wide clip">{operation.result}</td>
              <td>
                <Moment of={operation.createTime} />
              </td>
              <td>
                <a class="id" href={hrefOf(`operations/${operation.id}`)} title={operation.id}>
                  {shortId(operation.id)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TableOptions {
  readonly operations: readonly Operation[];
  /** Of integrations, by id. */
  readonly names: ReadonlyMap<string, string>;
}

function Nothing({ session, isFiltered }: { readonly session: Session; readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="Nothing matches">No operation has all of these. Change a filter, or clear them.</Empty>;
  const command = `curl "$WRITE_URL/projects/${session.project.name}/integrations/INTEGRATION/objects/contacts" \\
  -H "x-api-key: $KEY" -H 'content-type: application/json' \\
  -d '{"groupRef":"GROUP","type":"create","mode":"asynchronous","record":{"email":"zoe@example.com"}}'`;
  return (
    <Empty title="No operation yet" command={command}>
      Each write becomes one. This sends the first:
    </Empty>
  );
}
