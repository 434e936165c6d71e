import { pluralize } from '@sluice/types';
import type { GroupHealth, InstallationHealth, Integration, UnusedConnection, WaitingRecords } from '@sluice/types';
import { useState } from 'preact/hooks';
import { withoutJson } from '../format';
import { goTo, hrefOf } from '../use-route';
import { noteFailure } from '../network';
import { apiOf, isOffered, type Session } from '../session';
import { Badge } from './badge';
import { Confirm } from './confirm';
import { CustomerName } from './customer-name';
import { Moment } from './moment';
import { Problem } from './problem';

interface ListOptions {
  readonly session: Session;
  readonly groups: readonly GroupHealth[];
  readonly integrations: readonly Integration[];
  readonly onChange: () => void;
}

/** Each customer once, with a line for what they installed and for what they connected and nothing uses. */
export function CustomerList({ groups, ...shared }: ListOptions) {
  return (
    <ul class="customer-list">
      {groups.map((group) => (
        <li key={group.groupRef}>
          <div class="customer-head">
            <GroupName group={group} />
            <span class="health">
              <FailedLastDay group={group} />
              {group.installations.length === 0 ? (
                <span class="badge quiet">not installed</span>
              ) : (
                <Badge of={group.healthStatus} />
              )}
            </span>
          </div>
          {group.installations.map((installation) => (
            <InstallationLine key={installation.id} installation={installation} />
          ))}
          {group.hasMoreInstallations === true ? <p class="fine">It has more integrations.</p> : null}
          {group.unusedConnections.map((connection) => (
            <UnusedLine key={connection.id} group={group} connection={connection} {...shared} />
          ))}
        </li>
      ))}
    </ul>
  );
}

function GroupName({ group }: { readonly group: GroupHealth }) {
  const [first] = group.installations;
  if (first === undefined) return <CustomerName {...group} />;
  return (
    <a href={hrefOf(`customers/${first.id}`)}>
      <CustomerName {...group} />
    </a>
  );
}

/** Five operations that failed make a customer unhealthy: of one that is healthy records may have failed all the same. */
function FailedLastDay({ group: { groupRef, installations } }: { readonly group: GroupHealth }) {
  const days = installations.flatMap(({ lastDay }) => lastDay ?? []);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  if (failed === 0) return null;
  const more = days.some(({ isAtLeast }) => isAtLeast === true) ? '+' : '';
  return (
    <a class="bad-text" href={hrefOf('operations', { groupRef, hasFailures: 'true', time: 'day' })}>
      {failed.toLocaleString('en')}
      {more} failed in the last day
    </a>
  );
}

function InstallationLine({ installation }: { readonly installation: InstallationHealth }) {
  const { id, integrationName, provider, healthStatus, connection, waiting, lastError } = installation;
  const isHeld = connection.status === 'bad_credentials';
  const waits = waiting.records > 0 || waiting.isAtLeast === true;
  return (
    <a class="customer-line" href={hrefOf(`customers/${id}`)} title={`Installation ${id}`}>
      <span class={healthStatus === 'unhealthy' ? 'dot bad' : 'dot good'} />
      <span class="integration">{integrationName}</span>
      <span class="account fine">{[provider, connection.workspaceRef].filter(Boolean).join(' ')}</span>
      <span class={isHeld ? 'bad-text' : 'fine'}>
        {waits ? `${recordsOf(waiting)} ${isHeld ? 'held' : 'waiting'}` : isHeld ? 'credentials refused' : ''}
      </span>
      <span class="failure fine" title={lastError?.message}>
        {lastError === undefined ? null : (
          <>
            <Moment of={lastError.time} /> {withoutJson(lastError.message)}
          </>
        )}
      </span>
    </a>
  );
}

interface UnusedOptions extends Omit<ListOptions, 'groups'> {
  readonly group: GroupHealth;
  readonly connection: UnusedConnection;
}

/** What became of a connection, and the buttons that install what it is for, or delete it. */
export function UnusedLine({ session, group, connection, integrations, onChange }: UnusedOptions) {
  const [error, setError] = useState<unknown>();
  const [isDeleting, setDeleting] = useState(false);
  const { groupRef, installations } = group;
  const { id: connectionId, provider, workspaceRef, consumerRef, createTime, status } = connection;
  const isInstalled = (integration: Integration): boolean =>
    installations.some(({ integrationId }) => integrationId === integration.id);
  const missing = integrations.filter((each) => each.provider === provider && !isInstalled(each));
  const install = async (integrationId: string): Promise<void> => {
    try {
      const body = { groupRef, connectionId, config: { content: { provider } } };
      const { id } = await apiOf(session.apiKey, session.project.id).createInstallation({ integrationId, body });
      goTo(hrefOf(`customers/${id}`));
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
      onChange();
    }
  };
  const isRefused = status === 'bad_credentials';
  return (
    <>
      <div class="customer-line unused">
        <span class={isRefused ? 'dot bad' : 'dot'} />
        <span class="integration">not installed</span>
        <span class="account fine">{[provider, workspaceRef].filter(Boolean).join(' ')}</span>
        <span class="fine">{isRefused ? 'credentials refused' : missing.length === 0 ? 'another is in use' : ''}</span>
        <span class="failure fine">
          <Moment of={createTime} /> by {consumerRef}
        </span>
        {isOffered(session, 'frontend') ? (
          <span class="actions">
            {missing.slice(0, 3).map(({ id, name }) => (
              <button key={id} type="button" class="link" onClick={() => void install(id)}>
                Install {name}
              </button>
            ))}
            <button type="button" class="link" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          </span>
        ) : null}
      </div>
      {error === undefined ? null : <Problem error={error} title="The integration was not installed" />}
      {isDeleting ? (
        <Confirm
          title="Delete this connection?"
          verb="Delete it"
          isDangerous
          onConfirm={async () => {
            await apiOf(session.apiKey, session.project.id).deleteConnection({ connectionId });
            setDeleting(false);
            onChange();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            No installation uses the connection of {consumerRef} to {[provider, workspaceRef].filter(Boolean).join(' ')}
            . Its credentials are deleted here. At the provider nothing changes: the customer takes the access back
            there.
          </p>
        </Confirm>
      ) : null}
    </>
  );
}

/** How much, as far as it was counted. */
export const recordsOf = ({ records, isAtLeast }: WaitingRecords): string =>
  `${isAtLeast === true ? 'at least ' : ''}${pluralize(records, 'record')}`;
