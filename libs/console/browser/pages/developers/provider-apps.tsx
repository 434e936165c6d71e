import type { ProviderApp, UpdateProviderAppRequest } from '@sluice/types';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/confirm';
import { Empty } from '../../parts/empty';
import type { FormField } from '../../parts/form';
import { FormButton, FormDialog } from '../../parts/form-dialog';
import { GuideLink } from '../../parts/guide-link';
import { Moment } from '../../parts/moment';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { apiOf, isOffered, type Api, type Session } from '../../session';
import { useLoad } from '../../use-load';
import { oauthProviders, ProviderRequirements, scopesFor, type OAuthProvider } from './provider-requirements';

type Values = Readonly<Record<string, string>>;

/** The fields of an app, as it is or as a new one begins. A secret that is there is never shown, and stays when none is typed. */
function appFields({ clientId, scopes = [], externalRef = '' }: Partial<ProviderApp>): FormField[] {
  const isNew = clientId === undefined;
  return [
    { name: 'clientId', title: 'Client id', value: clientId ?? '' },
    {
      name: 'clientSecret',
      title: isNew ? 'Client secret' : 'New client secret',
      type: 'password',
      isOptional: !isNew,
    },
    { name: 'scopes', title: 'Scopes, with spaces between', value: scopes.join(' '), isOptional: true },
    { name: 'externalRef', title: "The provider's id for the app", value: externalRef, isOptional: true },
  ];
}

/** What the fields say; what was left empty is left out. */
function appOf({ scopes = '', ...values }: Values): UpdateProviderAppRequest['providerApp'] {
  const list = scopes.split(/\s+/).filter(Boolean);
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(given), ...(list.length === 0 ? {} : { scopes: list }) };
}

const Lead = () => (
  <>
    Your OAuth apps at the providers: <GuideLink of="provider app">customers connect</GuideLink> through them at the
    provider's own page.
  </>
);

/** With which OAuth apps the project's customers connect. */
export function ProviderAppsPage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error, reload } = useLoad('provider-apps', async (signal) => ({
    apps: await api.listProviderApps({}, { signal }),
    providers: oauthProviders(await api.listProviders({}, { signal }), await api.listIntegrations({}, { signal })),
  }));
  const [chosen, setChosen] = useState<string>();
  const isChangeable = isOffered(session, 'full');
  const head = <PageHead title="Provider apps" lead={<Lead />} />;
  if (value === undefined)
    return (
      <>
        {head}
        {error === undefined ? (
          <Skeleton of="table" rows={3} />
        ) : (
          <Problem error={error} title="The provider apps could not be read" />
        )}
      </>
    );
  const { apps, providers } = value;
  const missing = providers.filter(
    ({ provider, integrations }) => integrations.length > 0 && !apps.some((app) => app.provider === provider.name),
  );
  const shown = providers.find(({ provider }) => provider.name === chosen) ?? missing[0] ?? providers[0];
  return (
    <>
      {head}
      {error === undefined ? null : <Problem error={error} title="The provider apps could not be read again" />}
      {missing.map(({ provider, integrations }) => (
        <p key={provider.name} class="attention">
          <strong>No app of {provider.displayName ?? provider.name}.</strong> Customers of{' '}
          {integrations.map(({ name }) => name).join(', ')} cannot connect with a link before there is one.
        </p>
      ))}
      {apps.length === 0 ? (
        <Empty title="No provider app yet">Customers of OAuth providers can connect once there is one.</Empty>
      ) : (
        <AppTable api={api} apps={apps} isChangeable={isChangeable} onDone={reload} />
      )}
      {shown === undefined ? null : (
        <>
          <div class="filters">
            <label>
              What to register at
              <select value={shown.provider.name} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                {providers.map(({ provider: { name, displayName = name } }) => (
                  <option key={name} value={name}>
                    {displayName}
                  </option>
                ))}
              </select>
            </label>
            {isChangeable ? <AddApp key={shown.provider.name} api={api} of={shown} onDone={reload} /> : null}
          </div>
          <ProviderRequirements key={shown.provider.name} of={shown} />
        </>
      )}
    </>
  );
}

interface NewAppOptions {
  readonly api: Api;
  readonly of: OAuthProvider;
  readonly onDone: () => void;
}

function AddApp({ api, of, onDone }: NewAppOptions) {
  const { name: provider, displayName = provider } = of.provider;
  const scopes = scopesFor(of).map(({ scope }) => scope);
  return (
    <FormButton
      title={`Add an app of ${displayName}`}
      isPrimary
      fields={appFields({ scopes })}
      verb="Add it"
      failure="The app was not added"
      onSubmit={async (values) => {
        const { clientId = '', clientSecret = '' } = values;
        await api.createProviderApp({ body: { ...appOf(values), provider, clientId, clientSecret } });
        onDone();
      }}
    />
  );
}

interface TableOptions {
  readonly api: Api;
  readonly apps: readonly ProviderApp[];
  readonly isChangeable: boolean;
  readonly onDone: () => void;
}

function AppTable({ api, apps, isChangeable, onDone }: TableOptions) {
  const [changed, setChanged] = useState<ProviderApp>();
  const [deleted, setDeleted] = useState<ProviderApp>();
  const columns: readonly Column<ProviderApp>[] = [
    {
      title: 'Provider',
      width: 'middle',
      phone: 'badge',
      tip: ({ id }) => id,
      cell: ({ provider, externalRef }) => (
        <>
          {provider}
          {externalRef === undefined ? null : <div class="fine">{externalRef}</div>}
        </>
      ),
    },
    { title: 'Client id', phone: 'name', cell: ({ clientId }) => clientId },
    { title: 'Scopes', cell: ({ scopes }) => scopes?.join(' ') ?? '–' },
    { title: 'Added', width: 'middle', phone: 'none', cell: ({ createTime }) => <Moment of={createTime} /> },
    {
      title: '',
      width: 'middle',
      phone: 'aside',
      cell: (app) =>
        isChangeable ? (
          <span class="row-actions">
            <button type="button" class="link" onClick={() => setChanged(app)}>
              Change<span class="hidden"> {app.clientId}</span>…
            </button>
            <button type="button" class="link" onClick={() => setDeleted(app)}>
              Delete<span class="hidden"> {app.clientId}</span>…
            </button>
          </span>
        ) : null,
    },
  ];
  return (
    <>
      <Table columns={columns} rows={apps} keyOf={({ id }) => id} />
      {changed === undefined ? null : (
        <ChangeApp key={changed.id} api={api} app={changed} onDone={onDone} onClose={() => setChanged(undefined)} />
      )}
      {deleted === undefined ? null : (
        <Confirm
          title={`Delete the app ${deleted.clientId}?`}
          verb="Delete it"
          isDangerous
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            await api.deleteProviderApp({ providerAppId: deleted.id });
            setDeleted(undefined);
            onDone();
          }}
        >
          <p>No customer connects through it any more, and tokens that were granted to it are not refreshed.</p>
        </Confirm>
      )}
    </>
  );
}

interface ChangeOptions {
  readonly api: Api;
  readonly app: ProviderApp;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sends only what differs from the app as it was when the form was opened. */
function ChangeApp({ api, app, onDone, onClose }: ChangeOptions) {
  return (
    <FormDialog
      title={`Change ${app.clientId}`}
      fields={appFields(app)}
      verb="Save"
      failure="The app was not changed"
      onSubmit={async (values) => {
        const providerApp = appOf(values);
        const names = ['clientId', 'clientSecret', 'scopes', 'externalRef'] as const;
        const before: UpdateProviderAppRequest['providerApp'] = app;
        const updateMask = names.filter((name) => String(providerApp[name] ?? '') !== String(before[name] ?? ''));
        if (updateMask.length > 0)
          await api.updateProviderApp({ providerAppId: app.id, body: { updateMask, providerApp } });
        onDone();
      }}
      onClose={onClose}
    />
  );
}
