import type { ProviderApp } from '@sluice/types';
import { aProvider, asking, id, option, required, type Group } from '../command';
import { type Column, fields, table } from '../output/print';
import { askSecret } from '../profiles/ask';
import { given } from '../read-options';

const scopes: Column<ProviderApp> = ['scopes', (app) => app.scopes?.join(' ')];

interface CreateOptions {
  readonly clientId: string;
  readonly scope?: readonly string[];
}

/** `sluice provider-apps`. Secrets are never shown: the service does not return them. */
export const providerApps: Group = {
  about: 'manage your OAuth apps at the providers',
  commands: {
    list: asking({
      about: 'list the provider apps',
      ask: ({ management }) => management.listProviderApps(),
      show: table<ProviderApp>('No provider apps. Add one: sluice provider-apps create <provider> --client-id <id>', [
        'provider',
        'clientId',
        scopes,
        'createTime',
        'id',
      ]),
    }),
    describe: asking({
      about: 'show one provider app; its secret is never shown',
      takes: [id],
      ask: ({ management }, _options, providerAppId) => management.getProviderApp({ providerAppId }),
      show: fields<ProviderApp>([
        ['provider app', 'id'],
        'provider',
        'clientId',
        'externalRef',
        scopes,
        'createTime',
        'updateTime',
      ]),
    }),
    create: asking({
      about: 'add an app; its client secret is asked for, or read from standard input',
      takes: [
        aProvider,
        required('--client-id <id>', 'as the provider shows it'),
        option('--scope <scopes...>', 'what customers are asked to allow'),
      ],
      ask: async ({ management }, { clientId, scope }: CreateOptions, name) => {
        const clientSecret = await askClientSecret();
        const body = { provider: name, clientId, clientSecret, ...given({ scopes: scope }) };
        return await management.createProviderApp({ body });
      },
      show: (app) => `The provider app ${app.id} is the one that customers of ${app.provider} are sent to.`,
    }),
    secret: asking({
      about: 'replace the client secret; it is asked for, or read from standard input',
      takes: [id],
      ask: async ({ management }, _options, providerAppId) => {
        const clientSecret = await askClientSecret();
        const body = { updateMask: ['clientSecret'], providerApp: { clientSecret } } as const;
        return await management.updateProviderApp({ providerAppId, body });
      },
      show: (app) => `The provider app ${app.id} (${app.provider}) has the new secret.`,
    }),
    delete: asking({
      about: 'delete a provider app',
      takes: [id],
      ask: async ({ management }, _options, providerAppId) => {
        await management.deleteProviderApp({ providerAppId });
        return { id: providerAppId, deleted: true };
      },
      show: (app) => `The provider app ${app.id} is deleted.`,
    }),
  },
};

async function askClientSecret(): Promise<string> {
  return await askSecret('Client secret: ', 'No client secret was given.');
}
