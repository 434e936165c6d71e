import type { Connection, Integration, OAuthConnectRequest } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Api } from '../session';
import { useLoad } from '../use-load';
import { goTo, hrefOf } from '../use-route';
import { CopyField } from './field';

const everyMs = 2_000;

/** Whose account is connected, and for what. */
export interface Order {
  readonly integration: Integration;
  readonly who: Pick<
    OAuthConnectRequest,
    'provider' | 'groupRef' | 'groupName' | 'consumerRef' | 'providerWorkspaceRef'
  >;
}

interface StepsOptions {
  /** The link is made. */
  readonly isInvited: boolean;
  readonly integrationName: string;
  readonly provider: string;
  /** A link to the connect page, which installs; or credentials that are typed here. */
  readonly by: 'connect-page' | 'typed';
}

/** What happens, step by step, and where it stands. */
export function ConnectSteps({ isInvited, integrationName, provider, by }: StepsOptions) {
  const steps: readonly (readonly [string, ComponentChildren])[] =
    by === 'connect-page'
      ? [
          ['You make a link', 'It is for one browser, and valid for 30 minutes.'],
          [
            'The customer opens it',
            `They connect ${provider}, choose fields, and are installed. This page need not stay open.`,
          ],
        ]
      : [
          ['You type the credentials', `${provider} is asked at once whether it accepts them.`],
          [`${integrationName} is installed`, 'With the defaults of its manifest.'],
        ];
  const now = isInvited ? 1 : 0;
  return (
    <section class="connect-steps" aria-labelledby="connect-steps">
      <h2 id="connect-steps">What happens</h2>
      <ol>
        {steps.map(([title, text], at) => (
          <li key={title} class={at < now ? 'done' : undefined} aria-current={at === now ? 'step' : undefined}>
            <b>{title}</b>
            {at < now ? <span class="hidden">, done</span> : null}
            <p class="fine">{text}</p>
          </li>
        ))}
        <li>
          <b>You see the customer</b>
          <p class="fine">This page leads there. Then the mapping and defaults can be edited.</p>
        </li>
      </ol>
    </section>
  );
}

/** The link to the connect page. What it does is done by the service: this page only sees it. */
export function ConnectPageLink({
  api,
  integration,
  who: { groupRef },
  url,
}: Order & { readonly api: Api; readonly url: string }) {
  const { value: installation } = useLoad(
    url,
    async (signal) =>
      (await api.listInstallations({ integrationId: integration.id, groupRef, pageSize: 1 }, { signal }))[0],
    { everyMs, isOver: (found) => found !== undefined },
  );
  const installationId = installation?.id;
  useEffect(() => {
    if (installationId !== undefined) goTo(hrefOf(`customers/${installationId}`));
  }, [installationId]);
  return (
    <>
      <CopyField title="For the customer, once, within 30 minutes" value={url} />
      <p class="fine">The customer is installed by the link, also when this page is closed.</p>
    </>
  );
}

/** With the defaults of the manifest: the customer's choices are made later. Goes on to the page of the customer. */
export async function install(api: Api, { integration, who }: Order, { id: connectionId }: Connection): Promise<void> {
  const { groupRef, provider } = who;
  const config = { content: { provider } };
  const { id } = await api.createInstallation({
    integrationId: integration.id,
    body: { groupRef, connectionId, config },
  });
  goTo(hrefOf(`customers/${id}`));
}
