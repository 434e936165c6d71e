import { scopes, type ApiKey } from '@sluice/types';
import { argument, asking, option, required, type Group } from '../command';
import { beside, table } from '../output/print';

/** `sluice keys`. */
export const keys: Group = {
  about: 'manage the API keys of the project',
  commands: {
    list: asking({
      about: 'list the keys',
      ask: ({ management }) => management.listApiKeys(),
      show: table<ApiKey>('No keys.', [
        'label',
        'scopes',
        ['state', ({ active }) => (active === false ? 'revoked' : 'active')],
        'createTime',
        'id',
      ]),
    }),
    create: asking({
      about: 'create a key; it is shown once',
      takes: [
        argument('<label>', 'what the key is for'),
        required('--scope <scopes...>', 'what it may do').choices(scopes),
      ],
      ask: ({ management }, { scope }: { readonly scope: ApiKey['scopes'] }, label) =>
        management.createApiKey({ body: { label, scopes: scope } }),
      show: (made) =>
        beside(`The key ${made.id} (${made.scopes.join(', ')}). It is shown once; keep it now:`, made.key),
    }),
    revoke: asking({
      about: 'refuse a key from now on; it stays in the list',
      takes: [argument('<id>', 'public id of the key'), option('--delete', 'remove it from the list too')],
      ask: async ({ management }, options: { readonly delete?: boolean }, keyId) => {
        const body = { updateMask: ['active'], apiKey: { active: false } } as const;
        if (options.delete !== true) return await management.updateApiKey({ keyId, body });
        await management.deleteApiKey({ keyId });
        return { id: keyId, deleted: true as const };
      },
      show: (key) => `The key ${key.id} ${'deleted' in key ? 'is deleted' : `(${key.label}) is refused from now on`}.`,
    }),
  },
};
