import type { WebhookEndpoint, WebhookSecret } from '@sluice/types';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/confirm';
import { CopyField } from '../../parts/field';
import { FormDialog } from '../../parts/form-dialog';
import { GuideLink } from '../../parts/guide-link';
import { Moment } from '../../parts/moment';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { inFull } from '../../format';
import { noteFailure } from '../../network';
import { goTo, hrefOf } from '../../use-route';
import { apiOf, isOffered, type Api, type Session } from '../../session';
import { useLoad } from '../../use-load';
import { Deliveries } from './deliveries';
import { EndpointBadge, endpointFields, endpointOf, successRate } from './webhooks';

const everyMs = 5_000;

interface WebhookOptions {
  readonly session: Session;
  readonly endpointId: string;
  readonly query: URLSearchParams;
}

/** One endpoint: what it sends, its secret, and what became of each message. */
export function WebhookPage({ session, endpointId, query }: WebhookOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error, reload } = useLoad(endpointId, (signal) => api.getWebhookEndpoint({ endpointId }, { signal }), {
    everyMs,
  });
  if (value === undefined)
    return error === undefined ? (
      <Skeleton of="card" />
    ) : (
      <Problem error={error} title="The endpoint could not be read" />
    );
  return (
    <>
      <PageHead
        back={{ href: hrefOf('developers/webhooks'), text: 'Webhooks' }}
        title={value.url}
        status={<EndpointBadge of={value} />}
        actions={isOffered(session, 'full') ? <EndpointActions api={api} endpoint={value} onDone={reload} /> : null}
        lead={
          <span class="facts">
            {value.kind === 'slack' ? 'Slack channel · ' : ''}
            {value.description === undefined ? '' : `${value.description} · `}
            <code>{endpointId}</code> · added <Moment of={value.createTime} /> · delivered in the last day:{' '}
            {successRate(value)}
          </span>
        }
      />
      <Standing endpoint={value} />
      {error === undefined ? null : <Problem error={error} title="The endpoint could not be read again" />}
      <Deliveries
        api={api}
        endpoint={value}
        query={query}
        onNews={reload}
        // The service refuses a replay to an endpoint that is disabled.
        hasReplay={isOffered(session, 'full') && value.status === 'enabled'}
      />
      {isOffered(session, 'full') ? (
        <>
          {value.kind === 'slack' ? null : (
            <section class="panel">
              <h2>Secret</h2>
              <Secret api={api} endpointId={endpointId} />
            </section>
          )}
        </>
      ) : null}
    </>
  );
}

/** The form has the endpoint as it was when it was opened, and sends only what differs from that. */
function ChangeEndpoint({ api, endpoint, onDone }: ActionOptions) {
  const [before, setBefore] = useState<WebhookEndpoint>();
  const save = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const given = endpointOf(values);
    const names = Object.keys(given) as (keyof typeof given)[];
    const updateMask = names.filter((name) => String(given[name]) !== String(before?.[name]));
    if (updateMask.length > 0)
      await api.updateWebhookEndpoint({ endpointId: endpoint.id, body: { updateMask, webhookEndpoint: given } });
    onDone();
  };
  return (
    <>
      <button type="button" onClick={() => setBefore(endpoint)}>
        Change…
      </button>
      {before === undefined ? null : (
        <FormDialog
          title="Change the endpoint"
          fields={endpointFields(before.kind, before)}
          verb="Save"
          failure="The endpoint was not changed"
          onSubmit={save}
          onClose={() => setBefore(undefined)}
        />
      )}
    </>
  );
}

const reasons: Readonly<Record<string, string>> = {
  request: 'Somebody disabled it.',
  failing: 'All attempts of a week failed.',
  gone: 'Its receiver answered 410 Gone.',
};

function Standing({ endpoint: { status, disabledReason, failingSince } }: { readonly endpoint: WebhookEndpoint }) {
  if (status === 'disabled')
    return (
      <p class="attention">
        <strong>Disabled.</strong> {reasons[disabledReason ?? '']} Nothing is sent, and what happens meanwhile is not
        kept for it.
      </p>
    );
  if (failingSince === undefined) return null;
  return (
    <p class="attention">
      <strong>Failing</strong> since {inFull(failingSince)}: the attempts below say what the receiver answered. After a
      week it is disabled. <GuideLink of="failing endpoint">What happens then</GuideLink>
    </p>
  );
}

interface ActionOptions {
  readonly api: Api;
  readonly endpoint: WebhookEndpoint;
  readonly onDone: () => void;
}

function EndpointActions({ api, endpoint, onDone }: ActionOptions) {
  const { id: endpointId, status } = endpoint;
  const [asked, setAsked] = useState<'switch' | 'delete'>();
  const [error, setError] = useState<unknown>();
  const isEnabled = status === 'enabled';
  const close = (): void => setAsked(undefined);
  const test = async (): Promise<void> => {
    setError(undefined);
    try {
      await api.testWebhookEndpoint({ endpointId });
      onDone();
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
  };
  return (
    <div class="actions">
      {isEnabled ? (
        <button type="button" onClick={() => void test()}>
          Send a test
        </button>
      ) : null}
      <ChangeEndpoint api={api} endpoint={endpoint} onDone={onDone} />
      <button type="button" onClick={() => setAsked('switch')}>
        {isEnabled ? 'Disable…' : 'Enable…'}
      </button>
      <button type="button" onClick={() => setAsked('delete')}>
        Delete…
      </button>
      {error === undefined ? null : <Problem error={error} title="No test was sent" />}
      {asked === 'switch' ? (
        <Confirm
          title={isEnabled ? 'Disable this endpoint?' : 'Enable this endpoint?'}
          verb={isEnabled ? 'Disable it' : 'Enable it'}
          isDangerous={isEnabled}
          onClose={close}
          onConfirm={async () => {
            const webhookEndpoint = { status: isEnabled ? 'disabled' : 'enabled' } as const;
            await api.updateWebhookEndpoint({ endpointId, body: { updateMask: ['status'], webhookEndpoint } });
            close();
            onDone();
          }}
        >
          <p>
            {isEnabled
              ? 'What is on its way is given up, and can be replayed later. What happens while it is disabled is not kept for it.'
              : 'Messages are sent from now on. What failed before can be replayed.'}
          </p>
        </Confirm>
      ) : null}
      {asked === 'delete' ? (
        <Confirm
          title="Delete this endpoint?"
          verb="Delete it"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.deleteWebhookEndpoint({ endpointId });
            goTo(hrefOf('developers/webhooks'));
          }}
        >
          <p>It is forgotten with its messages and its secret.</p>
        </Confirm>
      ) : null}
    </div>
  );
}

/** Shown on request, and rotated after asking. */
function Secret({ api, endpointId }: { readonly api: Api; readonly endpointId: string }) {
  const [shown, setShown] = useState<WebhookSecret>();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const show = async (): Promise<void> => {
    setError(undefined);
    try {
      setShown(await api.getWebhookSecret({ endpointId }));
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
  };
  return (
    <>
      <p class="fine">
        Your receiver <GuideLink of="signature">checks signatures</GuideLink> with it. Only a key with the scope full
        sees it.
      </p>
      <div class="filters">
        <button type="button" onClick={() => (shown === undefined ? void show() : setShown(undefined))}>
          {shown === undefined ? 'Show the secret' : 'Hide the secret'}
        </button>
        <button type="button" onClick={() => setAsking(true)}>
          Rotate…
        </button>
      </div>
      {error === undefined ? null : <Problem error={error} title="The secret could not be shown" />}
      <div role="status">
        {shown === undefined ? null : (
          <>
            <CopyField title="Secret" value={shown.secret} />
            {shown.previousSecret === undefined ? null : (
              <CopyField
                title={`The one before, which signs too until ${inFull(shown.previousUntilTime ?? '')}`}
                value={shown.previousSecret}
              />
            )}
          </>
        )}
      </div>
      {isAsking ? (
        <Confirm
          title="Make a new secret?"
          verb="Rotate it"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            setShown(await api.rotateWebhookSecret({ endpointId }));
            setAsking(false);
          }}
        >
          <p>
            For a day each message has a signature of both secrets: give your receiver the new one meanwhile. The one
            before this signs no more.
          </p>
        </Confirm>
      ) : null}
    </>
  );
}
