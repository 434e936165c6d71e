import type {
  AcceptedWriteReply,
  DryRunReply,
  InstallationHealth,
  Integration,
  SingleWriteReply,
  WriteRecord,
  WriteRequest,
} from '@sluice/types';
import { useState } from 'preact/hooks';
import { Empty } from '../../parts/empty';
import { Form, type FormField } from '../../parts/form';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { hrefOf } from '../../use-route';
import { apiOf, isOffered, readWriteUrl, writeApiOf, type Session } from '../../session';
import { useLoad } from '../../use-load';

type Values = Readonly<Record<string, string>>;
type Reply = DryRunReply | SingleWriteReply | AcceptedWriteReply;

const types = ['create', 'update', 'delete'] as const satisfies readonly WriteRequest['type'][];

/** So many customers are suggested; others can be typed. */
const suggestedMax = 100;

/** One write of one record, as a builder's backend would send it; nothing is written unless the dry run is turned off. */
export function TryWritePage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad('try', async (signal) => ({
    writeUrl: await readWriteUrl(signal),
    integrations: await api.listIntegrations({}, { signal }),
  }));
  // Apart: the form is there without them.
  const { value: customers } = useLoad('customers', (signal) =>
    api.listInstallationHealth({ pageSize: suggestedMax }, { signal }),
  );
  return (
    <>
      <PageHead
        title="Try a write"
        lead="A dry run shows what would be sent of a record after mapping and defaults, field by field."
      />
      {error === undefined ? null : <Problem error={error} title="The form could not be prepared" />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton of="card" />
        ) : null
      ) : value.writeUrl === undefined ? (
        <Empty title="The write API has no public address" command="SLUICE_PUBLIC_WRITE_URL=https://write.example.com">
          This page may call it only when the management service is given the address of the write gateway as browsers
          see it:
        </Empty>
      ) : value.integrations.length === 0 ? (
        <Empty title="No integration yet">
          <a href={hrefOf('developers/integrations')}>Deploy a manifest</a> first, and connect a customer.
        </Empty>
      ) : !isOffered(session, 'frontend') ? (
        <Empty title="Not for viewers">A write needs a role or a key that may change something.</Empty>
      ) : (
        <TryForm
          session={session}
          writeUrl={value.writeUrl}
          integrations={value.integrations}
          customers={customers?.results ?? []}
        />
      )}
    </>
  );
}

interface TryOptions {
  readonly session: Session;
  readonly writeUrl: string;
  readonly integrations: readonly Integration[];
  readonly customers: readonly Pick<InstallationHealth, 'groupRef' | 'integrationName'>[];
}

function TryForm({ session, writeUrl, integrations, customers }: TryOptions) {
  const [reply, setReply] = useState<Reply>();
  const isPerson = session.apiKey === undefined;
  const installed = customers.map(({ groupRef, integrationName }) => [groupRef, integrationName] as const);
  const objects = integrations.flatMap(({ name, latestRevision: { content } }) =>
    (content.write?.objects ?? []).map(({ objectName }) => [objectName, name] as const),
  );
  const fields: FormField[] = [
    {
      name: 'integration',
      title: 'Integration',
      type: 'choice',
      choices: integrations.map(({ name }) => [name, name]),
    },
    { name: 'groupRef', title: 'Customer (groupRef)', suggestions: suggested(installed) },
    { name: 'objectName', title: 'Object', placeholder: 'contacts', suggestions: suggested(objects) },
    { name: 'type', title: 'Action', type: 'choice', choices: types.map((type) => [type, type] as const) },
    { name: 'record', title: 'Record, as JSON', type: 'long', placeholder: '{ "email": "zoe@example.com" }' },
    {
      name: 'apiKey',
      title: isPerson
        ? 'API key with the scope write'
        : 'Another API key with the scope write (only if the one you signed in with lacks it)',
      type: 'password',
      // The write API knows no persons.
      isOptional: !isPerson,
    },
    {
      name: 'dryRun',
      title: 'Dry run',
      type: 'many',
      isOptional: true,
      value: 'true',
      choices: [['true', 'Only show what would be sent. Without it the record is written at the provider.']],
    },
  ];
  const send = async (values: Values): Promise<void> => {
    setReply(undefined);
    const { integration: integrationId = '', groupRef = '', objectName = '', type, apiKey = '', dryRun } = values;
    const api = writeApiOf({ writeUrl, apiKey: apiKey === '' ? (session.apiKey ?? '') : apiKey, ...session.project });
    const body = { groupRef, type: type as WriteRequest['type'], record: readRecord(values['record'] ?? '') };
    const mode = dryRun === 'true' ? { dryRun: 'true' as const } : {};
    setReply((await api.writeRecords({ integrationId, objectName, ...mode, body })) as Reply);
  };
  return (
    <section class="panel">
      <Form fields={fields} verb="Send" failure="The write was refused" isKept onSubmit={send} />
      <div role="status">{reply === undefined ? null : <Outcome reply={reply} />}</div>
    </section>
  );
}

/** Each value once, with the integrations that it belongs to. */
function suggested(values: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return [...Map.groupBy(values, ([value]) => value)].map(([value, all]) => [
    value,
    all.map(([, integration]) => integration).join(', '),
  ]);
}

function Outcome({ reply }: { readonly reply: Reply }) {
  if ('plan' in reply) return <Plan reply={reply} />;
  const recordId = 'result' in reply ? reply.result.recordId : undefined;
  return (
    <p>
      {'result' in reply ? 'Written' : 'Accepted'}
      {recordId === undefined ? '' : `, as ${recordId}`}:{' '}
      <a href={hrefOf(`operations/${reply.operationId}`)}>the operation</a>
    </p>
  );
}

const columns: readonly Column<DryRunReply['plan'][number]>[] = [
  { title: 'Field', width: 'wide', phone: 'name', cell: ({ field }) => field },
  {
    title: 'At the provider',
    width: 'wide',
    phone: 'badge',
    cell: ({ sent, providerField }) => (sent ? providerField : <span class="fine">not sent</span>),
  },
  {
    title: 'Value',
    class: 'answer',
    cell: ({ sent, value }) => (sent ? <code>{JSON.stringify(value)}</code> : null),
  },
  { title: 'Why', class: 'answer', cell: ({ reason }) => reason },
];

function Plan({ reply: { plan } }: { readonly reply: DryRunReply }) {
  return (
    <>
      <p>Nothing was written. {plan.length === 0 ? 'No field would be sent.' : 'This would be sent:'}</p>
      <Table columns={columns} rows={plan} keyOf={({ field }) => field} />
      <p class="fine">Whether the account has these fields only the write shows.</p>
    </>
  );
}

/** @throws an error in the form of the client's, with what is wrong beside the field */
function readRecord(text: string): WriteRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RecordError(`is no JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as WriteRecord;
  throw new RecordError('must be one JSON object');
}

class RecordError extends Error {
  readonly issues: readonly object[];
  readonly remedy = 'A record is {"email": "zoe@example.com"}. Nothing was sent.';

  constructor(detail: string) {
    super(detail);
    this.issues = [{ name: 'record', detail }];
  }
}
