import type { Account } from './account';
import type { Project } from './project';
import type { Stack } from './stack';

/** The message of the callback page to the window that opened it. */
export interface PopupMessage {
  readonly eventType: 'AUTHORIZATION_SUCCEEDED' | 'AUTHORIZATION_FAILED';
  readonly data: { readonly connection: string; readonly error: string };
}

/** A customer's browser, as far as an authorization needs one. */
export interface Visit {
  readonly status: number;
  readonly html: string;
  readonly message: PopupMessage;
}

/** `POST {base_url}/oauth-connect`. @returns the address of the provider's page, and the cookie if one was set */
export async function oauthConnect(
  stack: Stack,
  project: Project,
  body: object,
): Promise<{ readonly url: string; readonly cookie: string | null }> {
  const reply = await fetch(`${stack.baseUrl}/oauth-connect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': project.key },
    body: JSON.stringify({ projectIdOrName: project.id, consumerRef: 'anna', ...body }),
  });
  const url = await reply.text();
  if (reply.status !== 200) throw new Error(`oauth-connect answered ${reply.status} ${url}`);
  return { url, cookie: reply.headers.get('set-cookie') };
}

/** Opens the provider's page, allows the app in for this account, and goes where it is sent. @returns that address */
export async function allow(url: string, account: Account): Promise<string> {
  const page = new URL(url);
  page.searchParams.set('account', account.name);
  const reply = await fetch(page, { redirect: 'manual' });
  const location = reply.headers.get('location');
  if (reply.status !== 302 || location === null)
    throw new Error(`${page} answered ${reply.status} ${await reply.text()}`);
  return location;
}

/** Opens the callback page. */
export async function visit(url: string, cookie?: string): Promise<Visit> {
  const reply = await fetch(url, { headers: cookie === undefined ? {} : { cookie } });
  const html = await reply.text();
  const message = /postMessage\((\{.*?\}), "/.exec(html)?.[1];
  if (message === undefined) throw new Error(`${url} answered ${reply.status} ${html}`);
  return { status: reply.status, html, message: JSON.parse(message) as PopupMessage };
}
