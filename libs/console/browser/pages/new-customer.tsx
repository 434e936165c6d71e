import type { Connection, Integration, OAuthConnectRequest } from '@sluice/types';
import { useEffect, useState } from 'preact/hooks';
import { credentialKinds, credentialsOf, type CredentialKind } from '../parts/credentials';
import { Empty } from '../parts/empty';
import { CopyField } from '../parts/field';
import { Form, type FormField } from '../parts/form';
import { Problem } from '../parts/problem';
import { goTo, hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

const everyMs = 2_000;

/** By the provider's own page, or with credentials that somebody has. */
type Way = 'link' | CredentialKind;
const ways: readonly (readonly [Way, string])[] = [
  ['link', "A link to the provider's page, for the customer"],
  ...Object.entries(credentialKinds).map(([kind, { title }]) => [kind as CredentialKind, title] as const),
];

/** Whose account is connected, and for what. */
interface Order {
  readonly integration: Integration;
  readonly who: Pick<OAuthConnectRequest, 'provider' | 'groupRef' | 'consumerRef' | 'providerWorkspaceRef'>;
}

/** Connects the account of a customer who is not here yet, and installs an integration for them. */
export function NewCustomerPage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  return (
    <>
      <a class="back" href={hrefOf('customers')}>
        ← Customers
      </a>
      <h1>Connect a customer</h1>
      <p class="lead">An account of theirs is connected, and then the integration is installed for them.</p>
      {error === undefined ? null : <Problem error={error} title="The integrations could not be read" />}
      {!isOffered(session, 'frontend') ? (
        <Empty title="Not for viewers">A role or a key that may change connections can do this.</Empty>
      ) : value === undefined ? null : value.length === 0 ? (
        <Empty title="No integration yet">
          <a href={hrefOf('developers/integrations')}>Deploy a manifest</a> first.
        </Empty>
      ) : (
        <ConnectForm session={session} api={api} integrations={value} />
      )}
    </>
  );
}

interface ConnectOptions {
  readonly session: Session;
  readonly api: Api;
  readonly integrations: readonly Integration[];
}

function ConnectForm({ session, api, integrations }: ConnectOptions) {
  const [way, setWay] = useState<Way>('link');
  const [invited, setInvited] = useState<Invited>();
  const connect = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { integration: name, groupRef = '', consumerRef = '', providerWorkspaceRef = '', ...secrets } = values;
    const integration = integrations.find((each) => each.name === name) as Integration;
    const workspace = providerWorkspaceRef === '' ? {} : { providerWorkspaceRef };
    const who = { provider: integration.provider, groupRef, consumerRef, ...workspace };
    setInvited(undefined);
    if (way === 'link') {
      const before = await listConnections(api, who);
      const url = await api.oauthConnect({ body: { ...who, projectIdOrName: session.project.id } });
      return setInvited({ integration, who, url, before });
    }
    const connection = await api.generateConnection({ body: { ...credentialsOf(secrets), ...who } });
    await install(api, { integration, who }, connection);
  };
  return (
    <section class="panel">
      <div class="form">
        <label>
          How
          <select value={way} onChange={({ currentTarget }) => setWay(currentTarget.value as Way)}>
            {ways.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Form
        fields={fieldsOf(integrations, way)}
        verb={way === 'link' ? 'Make the link' : 'Connect and install'}
        failure="The customer was not connected"
        isKept
        onSubmit={connect}
      />
      <div role="status">{invited === undefined ? null : <Invitation key={invited.url} api={api} {...invited} />}</div>
    </section>
  );
}

function fieldsOf(integrations: readonly Integration[], way: Way): FormField[] {
  const names = integrations.map(({ name, provider }) => [name, `${name} (${provider})`] as const);
  return [
    { name: 'integration', title: 'Integration', type: 'choice', choices: names },
    { name: 'groupRef', title: 'Customer: your id of the group (groupRef)' },
    { name: 'consumerRef', title: 'Who connects: your id of the user (consumerRef)' },
    { name: 'providerWorkspaceRef', title: 'Account at the provider, if it must be a certain one', isOptional: true },
    ...(way === 'link' ? [] : credentialKinds[way].fields),
  ];
}

interface Invited extends Order {
  readonly url: string;
  /** What was connected before. */
  readonly before: readonly Connection[];
}

const listConnections = (api: Api, { provider, groupRef, consumerRef }: Order['who'], signal?: AbortSignal) =>
  api.listConnections({ provider, groupRef, consumerRef }, signal === undefined ? {} : { signal });

interface InvitationOptions extends Invited {
  readonly api: Api;
}

/** The link, and what follows as soon as the customer has used it. */
function Invitation({ api, integration, who, url, before }: InvitationOptions) {
  const [error, setError] = useState<unknown>();
  const { value: connection } = useLoad(
    url,
    async (signal) =>
      (await listConnections(api, who, signal)).find((each) => !before.some((one) => isSame(one, each))),
    { everyMs, isOver: (found) => found !== undefined },
  );
  const connectionId = connection?.id;
  useEffect(() => {
    if (connection !== undefined) install(api, { integration, who }, connection).catch(setError);
  }, [connectionId]);
  return (
    <>
      <CopyField title="For the customer's browser, once, within ten minutes" value={url} />
      {error === undefined ? (
        <p class="fine">While this page is open, the integration is installed as soon as the customer has connected.</p>
      ) : (
        <Problem error={error} title="The account is connected, and the integration was not installed" />
      )}
    </>
  );
}

/** Neither another one nor renewed. */
const isSame = (one: Connection, other: Connection): boolean =>
  one.id === other.id && one.updateTime === other.updateTime;

/** With the defaults of the manifest: the customer's choices are made later. Goes on to the page of the customer. */
async function install(api: Api, { integration, who }: Order, { id: connectionId }: Connection): Promise<void> {
  const { groupRef, provider } = who;
  const config = { content: { provider } };
  const { id } = await api.createInstallation({
    integrationId: integration.id,
    body: { groupRef, connectionId, config },
  });
  goTo(hrefOf(`customers/${id}`));
}
