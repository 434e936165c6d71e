import type { ProviderApp } from '@sluice/types';
import { CommandFailure } from '../failure';
import { type Column, print, renderFields, renderTable, shortTime } from '../output/print';
import { askSecret } from '../profiles/ask';
import { connect, type GivenOptions } from '../profiles/connect';

interface CreateOptions extends GivenOptions {
  readonly clientId: string;
  readonly scope?: readonly string[];
}

const columns: readonly Column<ProviderApp>[] = [
  ['PROVIDER', ({ provider }) => provider],
  ['CLIENT ID', ({ clientId }) => clientId],
  ['SCOPES', ({ scopes = [] }) => scopes.join(' ') || '-'],
  ['CREATED', ({ createTime }) => shortTime(createTime)],
  ['ID', ({ id }) => id],
];

/** `sluice provider-apps list`. Secrets are never shown: the service does not return them. */
export async function list(_args: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const apps = await management.listProviderApps();
  const empty = 'No provider apps. Add one: sluice provider-apps create <provider> --client-id <id>';
  print(options, apps, () => renderTable(apps, columns, empty));
}

/** `sluice provider-apps describe <id>`. */
export async function describe([providerAppId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const app = await management.getProviderApp({ providerAppId });
  print(options, app, () =>
    renderFields([
      ['provider app', app.id],
      ['provider', app.provider],
      ['client id', app.clientId],
      ['external ref', app.externalRef],
      ['scopes', app.scopes?.join(' ')],
      ['created', shortTime(app.createTime)],
      ['updated', app.updateTime === undefined ? undefined : shortTime(app.updateTime)],
    ]),
  );
}

/** `sluice provider-apps create <provider>`. The secret is asked for, or read from standard input. */
export async function create([provider = '']: readonly string[], options: CreateOptions): Promise<void> {
  const { clientId, scope: scopes } = options;
  const connected = await connect(options);
  const clientSecret = await askClientSecret();
  const body = { provider, clientId, clientSecret, ...(scopes && { scopes }) };
  const app = await connected.management.createProviderApp({ body });
  print(options, app, () => `The provider app ${app.id} is the one that customers of ${app.provider} are sent to.`);
}

/** `sluice provider-apps secret <id>`: another client secret, after the provider made a new one. */
export async function secret([providerAppId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const clientSecret = await askClientSecret();
  const body = { updateMask: ['clientSecret'], providerApp: { clientSecret } } as const;
  const app = await management.updateProviderApp({ providerAppId, body });
  print(options, app, () => `The provider app ${app.id} (${app.provider}) has the new secret.`);
}

/** `sluice provider-apps delete <id>`. */
export async function remove([providerAppId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  await management.deleteProviderApp({ providerAppId });
  print(options, { id: providerAppId, deleted: true }, () => `The provider app ${providerAppId} is deleted.`);
}

async function askClientSecret(): Promise<string> {
  const given = await askSecret('Client secret: ');
  if (given !== '') return given;
  throw new CommandFailure('No client secret was given. Type it, or send it to standard input.');
}
