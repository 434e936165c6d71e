import type { Installation } from '@sluice/types';
import { Badge } from '../parts/badge';
import { Empty } from '../parts/empty';
import { Moment } from '../parts/moment';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { shortId } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, baseUrl, rawApiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 5_000;

/** Installations of the project with their health. */
export function InstallationsPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const list = useLoad(query.toString(), (signal) => readPage(session, query, signal), { everyMs });
  const api = apiOf(session.apiKey, session.project.id);
  const integrations = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  const names = new Map(integrations.value?.map(({ id, name }) => [id, name]));
  return (
    <>
      <h1>Installations</h1>
      {list.error === undefined ? null : <Problem error={list.error} title="The installations could not be read" />}
      {list.value === undefined ? null : list.value.installations.length === 0 ? (
        <Empty title="No installation yet" command={installCommand(session)}>
          A group installs an integration through your install page, or you do it for them:
        </Empty>
      ) : (
        <>
          <InstallationTable installations={list.value.installations} names={names} />
          <Pager
            {...(query.has('pageToken') ? { firstHref: hrefOf('installations') } : {})}
            {...(list.value.next === undefined
              ? {}
              : { nextHref: hrefOf('installations', { pageToken: list.value.next }) })}
          />
        </>
      )}
    </>
  );
}

interface InstallationPage {
  readonly installations: readonly Installation[];
  /** Token of the next page. */
  readonly next: string | undefined;
}

/** @throws the client's error for a reply that is no success */
async function readPage(session: Session, query: URLSearchParams, signal: AbortSignal): Promise<InstallationPage> {
  const pageToken = query.get('pageToken');
  const page = { pageSize, ...(pageToken === null ? {} : { pageToken }) };
  const reply = await rawApiOf(session).listInstallationsForProject(page, { signal });
  // The plain method makes an error of it.
  if (reply.status !== 200) {
    const installations = await apiOf(session.apiKey, session.project.id).listInstallationsForProject(page, { signal });
    return { installations, next: undefined };
  }
  const next = /[?&]pageToken=([^&>]+)/.exec(reply.headers.get('link') ?? '')?.[1];
  return { installations: reply.body, next: next && decodeURIComponent(next) };
}

function InstallationTable({ installations, names }: TableOptions) {
  return (
    <div class="scroll">
      <table class="cards">
        <thead>
          <tr>
            <th>Health</th>
            <th>Group</th>
            <th>Integration</th>
            <th>Connection</th>
            <th class="wide">Account</th>
            <th>Last operation</th>
            <th>Installed</th>
          </tr>
        </thead>
        <tbody>
          {installations.map((installation) => (
            <InstallationRow key={installation.id} installation={installation} names={names} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TableOptions {
  readonly installations: readonly Installation[];
  /** Of integrations, by id. */
  readonly names: ReadonlyMap<string, string>;
}

function InstallationRow({
  installation,
  names,
}: {
  readonly installation: Installation;
  readonly names: TableOptions['names'];
}) {
  const { healthStatus, group, integrationId, connection, lastOperationStatus, createTime } = installation;
  const groupRef = group?.groupRef;
  return (
    <tr class="clickable">
      <td data-label="Health">
        <Badge of={healthStatus} />
      </td>
      <td data-label="Group">
        {groupRef === undefined ? null : (
          <a
            class="whole-row"
            href={hrefOf('operations', { groupRef, installationId: installation.id })}
            title={`Operations of ${groupRef}`}
          >
            {groupRef}
          </a>
        )}
      </td>
      <td data-label="Integration">{names.get(integrationId) ?? shortId(integrationId)}</td>
      <td data-label="Connection">
        <Badge of={connection.status} />
      </td>
      <td class="wide" data-label="Account">
        {connection.provider} <span class="fine">{connection.providerWorkspaceRef}</span>
      </td>
      <td data-label="Last operation">
        {lastOperationStatus === undefined ? <span class="fine">none</span> : <Badge of={lastOperationStatus} />}
      </td>
      <td data-label="Installed">
        <Moment of={createTime} />
      </td>
    </tr>
  );
}

function installCommand({ project }: Session): string {
  return `curl "${baseUrl}/projects/${project.name}/integrations/INTEGRATION/installations" \\
  -H "x-api-key: $KEY" -H 'content-type: application/json' \\
  -d '{"groupRef":"GROUP","connectionId":"CONNECTION","config":{"content":{"provider":"hubspot"}}}'`;
}
