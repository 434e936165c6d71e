import type { Connection, Integration, OAuthConnectRequest } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { noteFailure } from '../network';
import type { Api } from '../session';
import { useLoad } from '../use-load';
import { goTo, hrefOf } from '../use-route';
import { isOver, LinkField, oauthLinkUntil } from './connect-link';
import { Problem } from './problem';

const everyMs = 2_000;

/** Whose account is connected, and for what. */
export interface Order {
  readonly integration: Integration;
  readonly who: Pick<
    OAuthConnectRequest,
    'provider' | 'groupRef' | 'groupName' | 'consumerRef' | 'providerWorkspaceRef'
  >;
}

/** How far a customer is on the way to an installation. */
export type ConnectStage = 'ordered' | 'invited' | 'connected';

interface StepsOptions {
  readonly stage: ConnectStage;
  readonly integrationName: string;
  readonly provider: string;
  /** A link to the connect page, which installs; a link to the provider's page; or credentials that are typed here. */
  readonly by: 'connect-page' | 'link' | 'typed';
}

/** What happens, step by step, and where it stands. */
export function ConnectSteps({ stage, integrationName, provider, by }: StepsOptions) {
  const isLink = by !== 'typed';
  const isOfPage = by === 'connect-page';
  const steps: readonly (readonly [ConnectStage, string, ComponentChildren])[] = [
    isLink
      ? ['ordered', 'You make a link', `It is for one browser, and valid for ${isOfPage ? '30' : 'ten'} minutes.`]
      : ['ordered', 'You type the credentials', `${provider} is asked at once whether it accepts them.`],
    ...(isLink
      ? ([
          [
            'invited',
            'The customer opens it',
            isOfPage
              ? `They connect ${provider}, choose fields, and are installed. This page need not stay open.`
              : `They sign in to ${provider} and allow your app. This page waits for that.`,
          ],
        ] as const)
      : []),
    ...(isOfPage
      ? []
      : ([
          [
            'connected',
            `${integrationName} is installed`,
            `With the defaults of its manifest${isLink ? ', while this page is open. Later it is a button among the customers: “not installed”' : ''}.`,
          ],
        ] as const)),
  ];
  const now = steps.findIndex(([of]) => of === stage);
  return (
    <section class="connect-steps" aria-labelledby="connect-steps">
      <h2 id="connect-steps">What happens</h2>
      <ol>
        {steps.map(([of, title, text], at) => (
          <li key={of} class={at < now ? 'done' : undefined} aria-current={at === now ? 'step' : undefined}>
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

export interface Invited extends Order {
  readonly url: string;
  /** What was connected before. */
  readonly before: readonly Connection[];
  /** Milliseconds since 1970. */
  readonly madeAt: number;
}

export const listConnections = (api: Api, { provider, groupRef, consumerRef }: Order['who'], signal?: AbortSignal) =>
  api.listConnections({ provider, groupRef, consumerRef }, signal === undefined ? {} : { signal });

interface InvitationOptions extends Invited {
  readonly api: Api;
  readonly onConnected: () => void;
}

/** The link, and what follows as soon as the customer has used it. */
export function Invitation({ api, integration, who, url, before, madeAt, onConnected }: InvitationOptions) {
  const [error, setError] = useState<unknown>();
  const { value: connection } = useLoad(
    url,
    async (signal) =>
      (await listConnections(api, who, signal)).find((each) => !before.some((one) => isSame(one, each))),
    { everyMs, isOver: (found) => found !== undefined },
  );
  const installNow = (found: Connection): void => {
    setError(undefined);
    install(api, { integration, who }, found).catch((caught: unknown) => {
      noteFailure(caught);
      setError(caught);
    });
  };
  const connectionId = connection?.id;
  useEffect(() => {
    if (connection === undefined) return;
    onConnected();
    installNow(connection);
  }, [connectionId]);
  const until = oauthLinkUntil(madeAt);
  return (
    <>
      {connection === undefined ? <LinkField url={url} customer={customerOf(who)} until={until} /> : null}
      {error === undefined ? (
        <p class="fine">
          {connection !== undefined
            ? 'The account is connected. The integration is being installed.'
            : isOver(until)
              ? ''
              : 'Waiting for the customer. While this page is open, the integration is installed as soon as they have connected.'}
        </p>
      ) : (
        <>
          <Problem error={error} title="The account is connected, and the integration was not installed" />
          {connection === undefined ? null : (
            <p>
              <button type="button" onClick={() => installNow(connection)}>
                Install again
              </button>
            </p>
          )}
        </>
      )}
    </>
  );
}

/** The link to the connect page. What it does is done by the service: this page only sees it. */
export function ConnectPageLink({
  api,
  integration,
  who,
  url,
  until,
}: Order & { readonly api: Api; readonly url: string; readonly until: string }) {
  const { groupRef } = who;
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
      <LinkField url={url} customer={customerOf(who)} until={until} />
      <p class="fine">The customer is installed by the link, also when this page is closed.</p>
    </>
  );
}

const customerOf = ({ consumerRef, groupName, groupRef }: Order['who']): string =>
  `${consumerRef} of ${groupName ?? groupRef}`;

/** Neither another one nor renewed. */
const isSame = (one: Connection, other: Connection): boolean =>
  one.id === other.id && one.updateTime === other.updateTime;

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
