import {
  slackFilters,
  webhookDayMessagesMax,
  webhookFilters,
  webhookFiltersDefault,
  type CreatedWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookFilter,
  type WebhookKind,
} from '@sluice/types';
import { useState } from 'preact/hooks';
import { Badge } from '../../parts/badge';
import { Empty } from '../../parts/empty';
import { CopyField } from '../../parts/field';
import type { FormField } from '../../parts/form';
import { FormButton } from '../../parts/form-dialog';
import { GuideLink } from '../../parts/guide-link';
import { Moment } from '../../parts/moment';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { noteFailure } from '../../network';
import { goTo, hrefOf } from '../../use-route';
import { apiOf, isOffered, type Api, type Session } from '../../session';
import { useLoad } from '../../use-load';

const everyMs = 5_000;

const meanings: Readonly<Record<WebhookFilter, string>> = {
  'write.async.done': 'An asynchronous write, a batch or an auto-batch has ended.',
  'connection.*': 'All five of a connection.',
  'connection.created': 'A customer has connected an account.',
  'connection.error': 'The provider refuses the credentials: the customer must connect again.',
  'connection.refreshed': 'Credentials that were refused work again.',
  'connection.updated': 'Credentials or metadata were changed.',
  'connection.deleted': 'A connection was deleted.',
  'installation.*': 'All four of an installation.',
  'installation.created': 'An integration was installed for a customer.',
  'installation.updated': 'Its config or its connection was changed.',
  'installation.deleted': 'It was uninstalled.',
  'installation.unhealthy': 'Its credentials are refused, or its latest five operations failed.',
  'endpoint.disabled': 'Another endpoint was disabled, because its receiver failed for a week or is gone.',
};

/** `98 % of 50`: how much of what was sent in the last day arrived. */
export function successRate({ lastDay }: Pick<WebhookEndpoint, 'lastDay'>): string {
  const { delivered = 0, failed = 0 } = lastDay ?? {};
  const tried = delivered + failed;
  if (tried === 0) return 'nothing sent';
  // Rounded down: what lost one of a thousand is not at 100 %.
  const isCut = tried >= webhookDayMessagesMax;
  return `${Math.floor((delivered * 100) / tried)} % of ${isCut ? 'the newest ' : ''}${tried}`;
}

const kinds: readonly (readonly [WebhookKind, string])[] = [
  ['webhook', 'A program: events as signed JSON'],
  ['slack', 'A Slack channel: alerts as text'],
];
/** Where Slack makes such addresses. */
const placeholders: Readonly<Record<WebhookKind, string>> = {
  webhook: 'https://app.example.com/sluice',
  slack: 'https://hooks.slack.com/services/T000/B000/XXXX',
};

export function EndpointBadge({ of: { status, failingSince } }: { readonly of: WebhookEndpoint }) {
  return <Badge of={failingSince !== undefined && status === 'enabled' ? 'failing-endpoint' : status} />;
}

/** The fields of an endpoint, as it is or as a new one of this kind begins. */
export function endpointFields(kind: WebhookKind, endpoint?: WebhookEndpoint): FormField[] {
  const filters = kind === 'slack' ? slackFilters : webhookFilters;
  const proposed = kind === 'slack' ? slackFilters : webhookFiltersDefault;
  return [
    { name: 'url', title: 'Address', value: endpoint?.url ?? '', placeholder: placeholders[kind] },
    {
      name: 'description',
      title: 'What it is for',
      value: endpoint?.description ?? '',
      // The service changes a description, and does not remove it.
      isOptional: endpoint?.description === undefined,
    },
    {
      name: 'eventTypes',
      title: 'Sends',
      type: 'many',
      value: (endpoint?.eventTypes ?? proposed).join(','),
      choices: filters.map((filter) => [filter, filter, meanings[filter]] as const),
    },
  ];
}

/** What the fields say. An empty description is left out: the service takes none. */
export function endpointOf({ url = '', description = '', eventTypes = '' }: Readonly<Record<string, string>>) {
  return {
    url,
    ...(description === '' ? {} : { description }),
    eventTypes: eventTypes.split(',') as WebhookFilter[],
  };
}

/** Where notifications of the project go. */
export function WebhooksPage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const [refused, setRefused] = useState<unknown>();
  const [created, setCreated] = useState<CreatedWebhookEndpoint>();
  const list = useLoad('webhooks', (signal) => api.listWebhookEndpoints({}, { signal }), { everyMs });
  const test = async (endpointId: string): Promise<void> => {
    setRefused(undefined);
    try {
      await api.testWebhookEndpoint({ endpointId });
      // There its receiver's answer appears.
      goTo(hrefOf(`developers/webhooks/${endpointId}`));
    } catch (caught) {
      noteFailure(caught);
      setRefused(caught);
    }
  };
  const added = (endpoint: CreatedWebhookEndpoint): void => {
    setCreated(endpoint);
    list.reload();
  };
  return (
    <>
      <PageHead
        title="Webhooks"
        lead={
          <>
            Sluice posts a <GuideLink of="signature">signed message</GuideLink> to these addresses when a write has
            ended or a connection changed.
          </>
        }
        actions={isOffered(session, 'full') ? <AddEndpoint api={api} onDone={added} /> : null}
      />
      <div role="status">
        {created === undefined || created.kind === 'slack' ? null : (
          <CopyField
            title={`Secret of ${created.url}, with which your receiver checks signatures`}
            value={created.secret}
          />
        )}
      </div>
      {list.error === undefined ? null : <Problem error={list.error} title="The endpoints could not be read" />}
      {refused === undefined ? null : <Problem error={refused} title="No test was sent" />}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" rows={3} />
        ) : null
      ) : list.value.length === 0 ? (
        <Empty title="No endpoint yet">
          Nothing is sent before there is one. <GuideLink of="webhook">How it is received</GuideLink>
        </Empty>
      ) : (
        <Table
          columns={isOffered(session, 'full') ? [...columns, testColumn(test)] : columns}
          rows={list.value}
          keyOf={({ id }) => id}
          isClickable
        />
      )}
    </>
  );
}

interface AddOptions {
  readonly api: Api;
  readonly onDone: (endpoint: CreatedWebhookEndpoint) => void;
}

function AddEndpoint({ api, onDone }: AddOptions) {
  const [kind, setKind] = useState<WebhookKind>('webhook');
  return (
    <FormButton
      title="Add an endpoint"
      isPrimary
      formKey={kind}
      fields={endpointFields(kind)}
      verb="Add it"
      failure="The endpoint was not added"
      onSubmit={async (values) => onDone(await api.createWebhookEndpoint({ body: { kind, ...endpointOf(values) } }))}
    >
      <div class="form">
        <label>
          Who reads it
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as WebhookKind)}>
            {kinds.map(([each, title]) => (
              <option key={each} value={each}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
    </FormButton>
  );
}

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    title: 'Address',
    phone: 'name',
    cell: ({ id, url, kind, description }) => (
      <>
        <a class="whole-row" href={hrefOf(`developers/webhooks/${id}`)}>
          {url}
        </a>
        <div class="fine">{[kind === 'slack' ? 'Slack channel' : '', description].filter(Boolean).join(' · ')}</div>
      </>
    ),
  },
  {
    title: 'Status',
    width: 'middle',
    phone: 'badge',
    cell: (endpoint) => <EndpointBadge of={endpoint} />,
  },
  {
    title: 'Delivered in the last day',
    meaning: `Of the newest ${webhookDayMessagesMax} messages at most`,
    width: 'wide',
    cell: (endpoint) => successRate(endpoint),
  },
  {
    title: 'Last failure',
    width: 'middle',
    cell: ({ lastDay }) =>
      lastDay?.lastFailureTime === undefined ? <span class="fine">none</span> : <Moment of={lastDay.lastFailureTime} />,
  },
  { title: 'Sends', width: 'wide', phone: 'none', cell: ({ eventTypes }) => eventTypes.join(', ') },
];

const testColumn = (test: (endpointId: string) => Promise<void>): Column<WebhookEndpoint> => ({
  title: '',
  width: 'middle',
  phone: 'aside',
  // The service refuses a test of an endpoint that is disabled.
  cell: ({ id, url, status }) =>
    status === 'enabled' ? (
      <button type="button" class="link" aria-label={`Send a test to ${url}`} onClick={() => void test(id)}>
        Send a test
      </button>
    ) : null,
});
