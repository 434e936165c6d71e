import type { Integration, ProviderInfo } from '@sluice/types';
import { useState } from 'preact/hooks';
import { credentialKinds, credentialsOf, isTaken, type CredentialKind } from '../parts/credentials';
import { ConnectPageLink, ConnectSteps, install, type Order } from '../parts/connect-steps';
import { refuseInstalled, useCustomerFields } from '../parts/customer-fields';
import { Empty } from '../parts/empty';
import { Form, type FormField } from '../parts/form';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

/** By the connect page, or with credentials that the person has. */
type Way = 'connect-page' | CredentialKind;
const ways: readonly (readonly [Way, string])[] = [
  ['connect-page', 'A link by which the customer connects and is installed'],
  ...Object.entries(credentialKinds).map(([kind, { title }]) => [kind as CredentialKind, title] as const),
];

interface Ways {
  /** The catalogue says that the provider takes them. */
  readonly taken: typeof ways;
  /** It says nothing of them. */
  readonly perhaps: typeof ways;
}

/** What the catalogue rules out is not offered. Without an entry it says nothing of any. The connect page asks for what the provider takes. */
function waysOf(info: ProviderInfo | undefined): Ways {
  const isOf = ([way]: (typeof ways)[number]) => {
    if (way === 'connect-page') return true;
    return info === undefined ? undefined : isTaken(way, info);
  };
  return { taken: ways.filter((way) => isOf(way) === true), perhaps: ways.filter((way) => isOf(way) === undefined) };
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
        <ConnectForm api={api} {...value} />
      )}
    </>
  );
}

interface ConnectOptions {
  readonly api: Api;
  readonly integrations: readonly Integration[];
  /** The catalogue, by name. */
  readonly providers: Readonly<Record<string, ProviderInfo>>;
}

function ConnectForm({ api, integrations, providers }: ConnectOptions) {
  const [chosen, setWay] = useState<Way>();
  const [name, setName] = useState(integrations[0]?.name);
  const integration = integrations.find((each) => each.name === name) as Integration;
  const { taken, perhaps } = waysOf(providers[integration.provider]);
  const offered = [...taken, ...perhaps].map(([way]) => way);
  const way = offered.find((each) => each === chosen) ?? 'connect-page';
  const [page, setPage] = useState<Order & { readonly url: string }>();
  const by = way === 'connect-page' ? way : 'typed';
  const customer = useCustomerFields(api);
  const connect = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { who, secrets } = orderOf(values, integration.provider);
    setPage(undefined);
    await refuseInstalled(api, integration, who.groupRef);
    if (way === 'connect-page') {
      const { groupRef, groupName, consumerRef } = who;
      const body = { groupRef, groupName, consumerRef, integration: integration.id };
      const { url } = await api.createConnectSession({ body });
      return setPage({ integration, who, url });
    }
    const connection = await api.generateConnection({ body: { ...credentialsOf(secrets), ...who } });
    await install(api, { integration, who }, connection);
  };
  return (
    <div class="connect">
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
          <WayChoice way={way} taken={taken} perhaps={perhaps} provider={integration.provider} onChoose={setWay} />
        </div>
        <Form
          fields={[...customer.fieldsFor(integration), ...fieldsOf(way)]}
          verb={by === 'typed' ? 'Connect and install' : 'Make the link'}
          failure="The customer was not connected"
          isKept
          onSubmit={connect}
        />
        <div role="status">{page === undefined ? null : <ConnectPageLink key={page.url} api={api} {...page} />}</div>
      </section>
      <ConnectSteps
        isInvited={page !== undefined}
        integrationName={integration.name}
        provider={integration.provider}
        by={by}
      />
    </div>
  );
}

/** What was typed, as requests carry it: who connects, and the credentials. */
function orderOf(values: Readonly<Record<string, string>>, provider: string) {
  const { groupRef = '', groupName = '', consumerRef = '', providerWorkspaceRef = '', ...secrets } = values;
  const named = groupName === '' ? {} : { groupName };
  const placed = providerWorkspaceRef === '' ? {} : { providerWorkspaceRef };
  const who: Order['who'] = { provider, groupRef, consumerRef, ...named, ...placed };
  return { who, secrets };
}

interface WayChoiceOptions extends Ways {
  readonly way: Way;
  readonly provider: string;
  readonly onChoose: (way: Way) => void;
}

function WayChoice({ way, taken, perhaps, provider, onChoose }: WayChoiceOptions) {
  return (
    <label>
      How
      <select value={way} onChange={({ currentTarget }) => onChoose(currentTarget.value as Way)}>
        <WayOptions of={taken} />
        {taken.length === 0 ? (
          <WayOptions of={perhaps} />
        ) : perhaps.length === 0 ? null : (
          <optgroup label={`If ${provider} takes it`}>
            <WayOptions of={perhaps} />
          </optgroup>
        )}
      </select>
    </label>
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
  if (way === 'connect-page') return [];
  return [
    { name: 'providerWorkspaceRef', title: 'Account at the provider, if it must be a certain one', isOptional: true },
    ...credentialKinds[way].fields,
  ];
}
