import { pluralize, webhookMessageStates, type WebhookEndpoint, type WebhookMessage } from '@sluice/types';
import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../../parts/badge';
import { Confirm } from '../../parts/confirm';
import { Empty } from '../../parts/empty';
import { Form } from '../../parts/form';
import { Moment } from '../../parts/moment';
import { Pager } from '../../parts/pager';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { shortId } from '../../format';
import { goTo, hrefOf } from '../../use-route';
import type { Api } from '../../session';
import { useLoad } from '../../use-load';

const pageSize = 20;
const everyMs = 3_000;

interface DeliveryOptions {
  readonly api: Api;
  readonly endpoint: Pick<WebhookEndpoint, 'id' | 'kind'>;
  /** `status`, and `pageToken` of an older page. */
  readonly query: URLSearchParams;
  readonly hasReplay: boolean;
  /** What became of a message has changed: so have the endpoint's figures. */
  readonly onNews: () => void;
}

/** What became of each message, newest first. */
export function Deliveries({ api, endpoint, query, hasReplay, onNews }: DeliveryOptions) {
  const { id: endpointId } = endpoint;
  const filters = Object.fromEntries(query) as {
    readonly status?: WebhookMessage['status'];
    readonly pageToken?: string;
  };
  const { value, error, reload } = useLoad(
    `${endpointId} ${query.toString()}`,
    (signal) => api.listWebhookMessages({ endpointId, pageSize, ...filters }, { signal }),
    { everyMs },
  );
  const statuses = value?.results.map(({ id, status }) => `${id} ${status}`).join(' ') ?? '';
  useEffect(() => {
    if (statuses !== '') onNews();
  }, [statuses]);
  const path = `developers/webhooks/${endpointId}`;
  const { status } = filters;
  const next = value?.pagination.nextPageToken;
  return (
    <section>
      <h2>Deliveries</h2>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Status
          <select
            value={status ?? ''}
            onChange={({ currentTarget }) => goTo(hrefOf(path, { status: currentTarget.value }))}
          >
            <option value="">any</option>
            {webhookMessageStates.map((state) => (
              <option key={state} value={state}>
                {state}
              </option>
            ))}
          </select>
        </label>
      </form>
      {hasReplay ? <ReplayFailed api={api} endpointId={endpointId} onDone={reload} /> : null}
      {error === undefined ? null : <Problem error={error} title="The deliveries could not be read" />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton of="table" />
        ) : null
      ) : value.results.length === 0 ? (
        <Empty title="No message">
          {status === undefined ? 'Nothing was sent yet. Send a test.' : 'None has this status.'}
        </Empty>
      ) : (
        <>
          <MessageTable api={api} endpoint={endpoint} messages={value.results} hasReplay={hasReplay} onDone={reload} />
          <Pager
            {...(query.has('pageToken') ? { firstHref: hrefOf(path, { status }) } : {})}
            {...(next === undefined ? {} : { nextHref: hrefOf(path, { status, pageToken: next }) })}
          />
        </>
      )}
    </section>
  );
}

const facts: readonly Column<WebhookMessage>[] = [
  {
    title: 'Status',
    width: 'wide',
    phone: 'badge',
    cell: ({ status, nextAttemptTime }) => (
      <>
        <Badge of={status} />
        {nextAttemptTime === undefined ? null : (
          <div class="fine">
            {Date.parse(nextAttemptTime) > Date.now() ? (
              <>
                again <Moment of={nextAttemptTime} />
              </>
            ) : (
              'again now'
            )}
          </div>
        )}
      </>
    ),
  },
  { title: 'Reports', phone: 'name', cell: ({ notificationType }) => notificationType },
  { title: 'Happened', width: 'middle', cell: ({ createTime }) => <Moment of={createTime} /> },
  { title: 'Attempts', width: 'narrow', phone: 'none', cell: ({ attempts }) => attempts },
];

interface TableOptions extends Pick<DeliveryOptions, 'api' | 'endpoint' | 'hasReplay'> {
  readonly messages: readonly WebhookMessage[];
  readonly onDone: () => void;
}

function MessageTable({ api, endpoint, messages, hasReplay, onDone }: TableOptions) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [replayed, setReplayed] = useState<WebhookMessage>();
  const toggle = (id: string): void =>
    setOpened((before) => (before.includes(id) ? before.filter((each) => each !== id) : [...before, id]));
  const columns: readonly Column<WebhookMessage>[] = [
    ...facts,
    {
      title: 'Message',
      width: 'middle',
      cell: ({ id }) => (
        <button
          type="button"
          class="link whole-row"
          aria-expanded={opened.includes(id)}
          aria-label={`Attempts of ${shortId(id)}`}
          title={id}
          onClick={() => toggle(id)}
        >
          {shortId(id)}
        </button>
      ),
    },
    {
      title: '',
      width: 'middle',
      phone: 'aside',
      cell: (message) =>
        hasReplay ? (
          <button
            type="button"
            class="link"
            aria-label={`Replay ${shortId(message.id)}…`}
            onClick={() => setReplayed(message)}
          >
            Replay…
          </button>
        ) : null,
    },
  ];
  return (
    <>
      <Table
        columns={columns}
        rows={messages}
        keyOf={({ id }) => id}
        isClickable
        below={({ id }) => (opened.includes(id) ? <Attempts api={api} endpoint={endpoint} messageId={id} /> : null)}
      />
      {replayed === undefined ? null : (
        <Confirm
          title="Send this message again?"
          verb="Replay"
          onClose={() => setReplayed(undefined)}
          onConfirm={async () => {
            await api.replayWebhookMessage({ endpointId: endpoint.id, messageId: replayed.id });
            setReplayed(undefined);
            onDone();
          }}
        >
          <p>
            It is sent with the same svix-id and tried as often as a new one. A receiver that keeps ids knows it
            already.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface AttemptOptions extends Pick<DeliveryOptions, 'api' | 'endpoint'> {
  readonly messageId: string;
}

/** What the receiver answered, attempt by attempt, and what was sent. */
function Attempts({ api, endpoint, messageId }: AttemptOptions) {
  const { id: endpointId, kind } = endpoint;
  const { value, error } = useLoad(
    messageId,
    async (signal) => ({
      attempts: await api.listWebhookAttempts({ endpointId, messageId }, { signal }),
      message: await api.getWebhookMessage({ endpointId, messageId }, { signal }),
    }),
    { everyMs },
  );
  if (error !== undefined) return <Problem error={error} title="The attempts could not be read" />;
  if (value === undefined) return null;
  return (
    <>
      <ol class="timeline">
        {value.attempts.length === 0 ? <li>Not sent yet.</li> : null}
        {value.attempts.map(({ number, startTime, class: outcome, responseStatus, durationMs, response }) => (
          <li key={number}>
            <b>{number}</b>
            <span>
              <Moment of={startTime} />: {outcome ?? 'under way, or cut off'}
              {responseStatus === undefined ? '' : `, status ${responseStatus}`}
              {durationMs === undefined ? '' : `, ${durationMs} ms`}
              {response === undefined || response === '' ? null : <div class="fine">{response}</div>}
            </span>
          </li>
        ))}
      </ol>
      <details>
        <summary>{kind === 'slack' ? 'The event, which Slack gets as one sentence' : 'What is sent'}</summary>
        <pre tabIndex={0}>{JSON.stringify(value.message.payload, null, 2)}</pre>
      </details>
    </>
  );
}

interface ReplayOptions extends Pick<TableOptions, 'api' | 'onDone'> {
  readonly endpointId: string;
}

/** Sends what has failed since a moment again, up to 100,000 messages with one request. */
function ReplayFailed({ api, endpointId, onDone }: ReplayOptions) {
  const [isAsking, setAsking] = useState(false);
  const [outcome, setOutcome] = useState('');
  const replay = async ({ since = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const { replayed, isComplete } = await api.replayFailedWebhookMessages({
      endpointId,
      since: new Date(since).toISOString(),
    });
    setOutcome(
      `${pluralize(replayed, 'message')} will be sent again.${isComplete ? '' : ' There are more: replay again.'}`,
    );
    setAsking(false);
    onDone();
  };
  return (
    <>
      <div class="filters">
        <button type="button" onClick={() => setAsking(!isAsking)} aria-expanded={isAsking}>
          Replay what failed…
        </button>
        <span role="status" class="fine">
          {outcome}
        </span>
      </div>
      {isAsking ? (
        <Form
          fields={[{ name: 'since', title: 'Happened since', type: 'datetime-local' }]}
          verb="Replay"
          failure="Nothing was replayed"
          onSubmit={replay}
        />
      ) : null}
    </>
  );
}
