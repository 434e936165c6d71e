import type { HeldConnection } from '@sluice/types';
import { fromNow, inFull } from '../format';
import { hrefOf } from '../use-route';
import { baseUrl, isOffered, type Session } from '../session';
import { ConnectLink } from './connect-link';
import { CustomerName } from './customer-name';
import { FirstExpire } from './first-expire';
import { GuideLink } from './guide-link';

interface HeldOptions {
  readonly session: Session;
  readonly held: HeldConnection;
}

/** Why writes of a connection wait, and what ends that. */
export function Held({ session, held }: HeldOptions) {
  const { provider, groupRef, groupName, connectionId, since, installationId } = held;
  return (
    <div class="held">
      <p>
        <a
          href={
            installationId === undefined ? hrefOf('customers', { groupRef }) : hrefOf(`customers/${installationId}`)
          }
        >
          <CustomerName groupRef={groupRef} groupName={groupName} />
        </a>
        <span
          title={`Connection ${connectionId}. Its writes are sent when it has new credentials, until their deadline.`}
        >
          {provider} has refused its credentials for{' '}
          <time dateTime={since} title={inFull(since)}>
            {fromNow(since).replace(' ago', '')}
          </time>
          . Its writes <GuideLink of="held">wait for new ones</GuideLink>: <FirstExpire at={held.firstExpireTime} />.
        </span>
      </p>
      {isOffered(session, 'frontend') ? <Reconnect session={session} held={held} /> : null}
    </div>
  );
}

/** A link for the customer; else, where no installation says which, the request that brings the new secret. */
function Reconnect({ session, held: { connectionId, authScheme, installationId } }: HeldOptions) {
  if (installationId !== undefined) {
    const verb = 'Make a link with which the customer connects again';
    return <ConnectLink session={session} installationId={installationId} verb={verb} />;
  }
  return (
    <details>
      <summary>Send new credentials ({authScheme})</summary>
      <pre tabIndex={0}>{credentialsCommand(session, connectionId, authScheme)}</pre>
    </details>
  );
}

/** Member of the request, by scheme, with what stands for the secret. */
const tokens = { accessToken: { token: 'NEW_TOKEN' } };
const bodies: Readonly<Record<string, readonly [string, unknown]>> = {
  'oauth2/authorizationCode': ['oauth2AuthorizationCode', tokens],
  'oauth2/authorizationCodePKCE': ['oauth2AuthorizationCode', tokens],
  apiKey: ['apiKey', 'NEW_KEY'],
  basic: ['basicAuth', { username: 'USER', password: 'PASSWORD' }],
  'oauth2/clientCredentials': ['oauth2ClientCredentials', { clientId: 'CLIENT', clientSecret: 'SECRET' }],
  'oauth2/password': ['oauth2PasswordCredentials', { username: 'USER', password: 'PASSWORD' }],
};

function credentialsCommand({ project }: Session, connectionId: string, authScheme: string): string {
  const [member, secret] = bodies[authScheme] ?? ['apiKey', 'NEW_KEY'];
  return `curl -X PATCH "${baseUrl}/projects/${project.name}/connections/${connectionId}" \\
  -H "x-api-key: $KEY" -H 'content-type: application/json' \\
  -d '${JSON.stringify({ updateMask: [member], connection: { [member]: secret } })}'`;
}
