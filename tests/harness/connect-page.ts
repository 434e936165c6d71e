import type { ConnectSession, ConnectView } from '@sluice/types';
import { allow } from './browser';
import type { Account } from './account';
import { call } from './api';
import type { Stack } from './stack';

/** A customer's browser on the connect page, without its drawing. */
export async function openConnectPage({ baseUrl }: Pick<Stack, 'baseUrl'>, { url }: Pick<ConnectSession, 'url'>) {
  const token = new URL(url).hash.slice(1);
  const path = `${baseUrl}/projects/${token.split('.', 1)[0]}/connect-session`;
  const authorization = `Bearer ${token}`;
  const cookies = (await fetch(path, { headers: { authorization } })).headers.getSetCookie();
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  const headers = { authorization, cookie };
  const submit = <Reply>(name: string, body: object) => call<Reply>(`${path}/${name}`, { headers, body });
  return {
    view: () => call<ConnectView>(path, { method: 'GET', headers }),
    submit,
    /** By the provider's page, where the account lets the app in. @returns the reply that leads back to the connect page */
    connect: async (account: Account): Promise<Response> => {
      const begun = await submit<{ url: string }>('authorization', {});
      return await fetch(await allow(begun.url, account), { headers: { cookie }, redirect: 'manual' });
    },
  };
}
