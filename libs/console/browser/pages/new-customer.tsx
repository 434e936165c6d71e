import type { Connection, Integration, OAuthConnectRequest, ProviderInfo } from '@sluice/types';
import { useEffect, useState } from 'preact/hooks';
import { credentialKinds, credentialsOf, hasPage, isTaken, type CredentialKind } from '../parts/credentials';
import { Empty } from '../parts/empty';
import { CopyField } from '../parts/field';
import { Form, type FormField } from '../parts/form';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { goTo, hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

const everyMs = 2_000;

/** By the provider's own page, or with credentials that the person has. */
type Way = 'link' | CredentialKind;
const ways: readonly (readonly [Way, string])[] = [
  ['link', "A link to the provider's page, for the customer"],
  ...Object.entries(credentialKinds).map(([kind, { title }]) => [kind as CredentialKind, title] as const),
];

interface Ways {
  /** The catalogue says that the provider takes them. */
  readonly taken: typeof ways;
  /** It says nothing of them. */
  readonly perhaps: typeof ways;
}

/** What the catalogue rules out is not offered. Without an entry it says nothing of any. */
function waysOf(info: ProviderInfo | undefined): Ways {
  const isOf = ([way]: (typeof ways)[number]) =>
    info === undefined ? undefined : way === 'link' ? hasPage(info) : isTaken(way, info);
  return { taken: ways.filter((way) => isOf(way) === true), perhaps: ways.filter((way) => isOf(way) === undefined) };
}

/** Whose account is connected, and for what. */
interface Order {
  readonly integration: Integration;
  readonly who: Pick<OAuthConnectRequest, 'provider' | 'groupRef' | 'consumerRef' | 'providerWorkspaceRef'>;
}

/** Connects the account of a customer who is not here yet, and installs an integration for them. */
export function NewCustomerPage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad('integrations', async (signal) => ({
    integrations: await api.listIntegrations({}, { signal }),
    providers: await api.listProviders({}, { signal }),
  }));
  return (
    <>
      <PageHead
        back={{ href: hrefOf('customers'), text: 'Customers' }}
        title="Connect a customer"
        lead="An account of theirs is connected, and then the integration is installed for them."
      />
      {error === undefined ? null : <Problem error={error} title="The integrations could not be read" />}
      {!isOffered(session, 'frontend') ? (
        <Empty title="Not for viewers">A role or a key that may change connections can do this.</Empty>
      ) : value === undefined ? (
        error === undefined ? (
          <Skeleton of="card" />
        ) : null
      ) : value.integrations.length === 0 ? (
        <Empty title="No integration yet">
          <a href={hrefOf('developers/integrations')}>Deploy a manifest</a> first.
        </Empty>
      ) : (
        <ConnectForm session={session} api={api} {...value} />
      )}
    </>
  );
}

interface ConnectOptions {
  readonly session: Session;
  readonly api: Api;
  readonly integrations: readonly Integration[];
  /** The catalogue, by name. */
  readonly providers: Readonly<Record<string, ProviderInfo>>;
}

function ConnectForm({ session, api, integrations, providers }: ConnectOptions) {
  const [chosen, setWay] = useState<Way>();
  const [name, setName] = useState(integrations[0]?.name);
  const integration = integrations.find((each) => each.name === name) as Integration;
  const { taken, perhaps } = waysOf(providers[integration.provider]);
  const offered = [...taken, ...perhaps].map(([way]) => way);
  const way = offered.find((each) => each === chosen) ?? offered[0] ?? 'link';
  const [invited, setInvited] = useState<Invited>();
  const connect = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { groupRef = '', consumerRef = '', providerWorkspaceRef = '', ...secrets } = values;
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
          Integration
          <select value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {integrations.map((each) => (
              <option key={each.id} value={each.name}>
                {each.name} ({each.provider})
              </option>
            ))}
          </select>
        </label>
        <label>
          How
          <select value={way} onChange={({ currentTarget }) => setWay(currentTarget.value as Way)}>
            <WayOptions of={taken} />
            {taken.length === 0 ? (
              <WayOptions of={perhaps} />
            ) : perhaps.length === 0 ? null : (
              <optgroup label={`If ${integration.provider} takes it`}>
                <WayOptions of={perhaps} />
              </optgroup>
            )}
          </select>
        </label>
      </div>
      <Form
        fields={fieldsOf(way)}
        verb={way === 'link' ? 'Make the link' : 'Connect and install'}
        failure="The customer was not connected"
        isKept
        onSubmit={connect}
      />
      <div role="status">{invited === undefined ? null : <Invitation key={invited.url} api={api} {...invited} />}</div>
    </section>
  );
}

function WayOptions({ of }: { readonly of: typeof ways }) {
  return (
    <>
      {of.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </>
  );
}

function fieldsOf(way: Way): FormField[] {
  return [
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
