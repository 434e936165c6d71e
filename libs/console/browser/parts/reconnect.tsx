import type { Connection, Installation, InstallationHealth, UpdateConnectionRequest } from '@sluice/types';
import { useState } from 'preact/hooks';
import { shortId } from '../format';
import { apiOf, type Session } from '../session';
import { Confirm } from './confirm';
import { ConnectLink } from './connect-link';
import { credentialKinds, credentialsOf, kindOf, type CredentialKind } from './credentials';
import { Form } from './form';

interface ReconnectOptions {
  readonly session: Session;
  readonly health: InstallationHealth;
  readonly installation: Installation;
  readonly onDone: () => void;
}

/** New credentials for a connection: from the customer, at the provider's page, or typed in here. */
export function Reconnect({ session, health, installation, onDone }: ReconnectOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const { connection, provider, groupRef } = health;
  const own = kindOf(connection.authScheme);
  const isRefused = connection.status === 'bad_credentials';
  const [kind, setKind] = useState(own);
  const [said, setSaid] = useState('');
  const [other, setOther] = useState<Connection>();
  const { title, fields } = credentialKinds[kind];
  const send = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const given = credentialsOf(values);
    setSaid('');
    if (kind === own) {
      const body: UpdateConnectionRequest = { updateMask: [kind], connection: given };
      await api.updateConnection({ connectionId: connection.id, body });
    } else {
      const { consumerRef } = connection;
      const made = await api.generateConnection({ body: { ...given, provider, groupRef, consumerRef } });
      // A connection that works keeps its kind of credentials: these are another one's.
      if (made.id !== connection.id) return setOther(made);
    }
    setSaid('The provider accepts the new credentials.');
    onDone();
  };
  return (
    <div class="reconnect">
      {isRefused ? null : <h3>Connect again</h3>}
      <ConnectLink
        session={session}
        installationId={installation.id}
        verb="Make a link to connect again"
        isPrimary={isRefused && own === 'oauth2AuthorizationCode'}
      />
      <details open={isRefused && own !== 'oauth2AuthorizationCode'}>
        <summary>Send new credentials</summary>
        <label>
          Kind
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as CredentialKind)}>
            {Object.entries(credentialKinds).map(([value, each]) => (
              <option key={value} value={value}>
                {each.title}
              </option>
            ))}
          </select>
        </label>
        <Form key={kind} fields={fields} verb="Connect" failure={`${title}: not accepted`} onSubmit={send} />
        <p class="fine">
          {provider} is asked whether it accepts them. They must open the same account, and are never shown again.
        </p>
      </details>
      <p role="status">{said}</p>
      {other === undefined ? null : (
        <UseConnection
          installation={installation}
          connection={other}
          use={async () => {
            const { id: installationId, integrationId } = installation;
            const body = { updateMask: ['connectionId'], installation: { connectionId: other.id } };
            await api.updateInstallation({ integrationId, installationId, body });
            setOther(undefined);
            onDone();
          }}
          onClose={() => setOther(undefined)}
        />
      )}
    </div>
  );
}

interface UseOptions {
  readonly installation: Installation;
  readonly connection: Connection;
  readonly use: () => Promise<void>;
  readonly onClose: () => void;
}

function UseConnection({ installation, connection, use, onClose }: UseOptions) {
  return (
    <Confirm title="Use the new connection?" verb="Use it" onConfirm={use} onClose={onClose}>
      <p>
        The connection <code title={connection.id}>{shortId(connection.id)}</code> was made
        {connection.providerWorkspaceRef === undefined ? '' : `, of the account ${connection.providerWorkspaceRef}`}.
        The one in use, <code>{shortId(installation.connection.id)}</code>, takes other credentials. Writes that are
        accepted from now on go through the new one; what waits stays with the old one.
      </p>
    </Confirm>
  );
}
