import type {
  AcceptedWriteReply,
  DryRunReply,
  RecordProblem,
  SingleWriteReply,
  WriteRecord,
  WriteRequest,
} from '@sluice/types';
import { useState } from 'preact/hooks';
import { Empty } from '../../parts/empty';
import { Form, type FormField } from '../../parts/form';
import { GuideLink } from '../../parts/guide-link';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { hrefOf } from '../../use-route';
import { noteAnswer, noteFailure } from '../../network';
import { apiOf, isOffered, readWriteUrl, writeApiOf, type Session } from '../../session';
import { useLoad } from '../../use-load';
import { CustomerChoice, type Customer } from './customer-choice';
import { sampleRecord } from './sample-record';

type Values = Readonly<Record<string, string>>;
type Reply = DryRunReply | SingleWriteReply | AcceptedWriteReply;

const types = ['create', 'update', 'delete'] as const satisfies readonly WriteRequest['type'][];

/** One write of one record, as a builder's backend would send it: planned, or sent. */
export function TryWritePage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad('try', async (signal) => ({
    writeUrl: await readWriteUrl(signal),
    integrations: await api.listIntegrations({}, { signal }),
  }));
  const [customer, setCustomer] = useState<Customer>();
  return (
    <>
      <PageHead
        title="Try a write"
        lead={
          <>
            <b>Plan</b> is a <GuideLink of="dry run">dry run</GuideLink>: it shows field by field what would be sent,
            after mapping and defaults. <b>Send</b> writes the record into the customer's account.
          </>
        }
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
        <>
          <CustomerChoice api={api} chosen={customer} onChoose={setCustomer} />
          {customer === undefined ? null : (
            <TryForm
              key={customer.id}
              session={session}
              writeUrl={value.writeUrl}
              customer={customer}
              objects={value.integrations
                .filter(({ id }) => id === customer.integrationId)
                .flatMap(({ latestRevision: { content } }) => content.write?.objects ?? [])
                .map(({ objectName }) => objectName)}
            />
          )}
        </>
      )}
    </>
  );
}

/** @param sample a record to begin with, as JSON */
function fieldsOf({ apiKey }: Session, sample: string): FormField[] {
  const isPerson = apiKey === undefined;
  return [
    { name: 'type', title: 'Action', type: 'choice', choices: types.map((type) => [type, type] as const) },
    {
      name: 'record',
      title: 'Record, as JSON',
      type: 'long',
      value: sample,
      placeholder: '{ "email": "zoe@example.com" }',
    },
    {
      name: 'apiKey',
      title: isPerson
        ? 'API key with the scope write'
        : 'Another API key with the scope write, if the one you signed in with lacks it',
      type: 'password',
      // The write API knows no persons.
      isOptional: !isPerson,
    },
  ];
}

interface TryOptions {
  readonly session: Session;
  readonly writeUrl: string;
  readonly customer: Customer;
  /** Of the manifest. */
  readonly objects: readonly string[];
}

function TryForm({ session, writeUrl, customer, objects }: TryOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const [reply, setReply] = useState<Reply>();
  const [objectName = '', setObject] = useState(objects[0]);
  const [sample, setSample] = useState('');
  const [error, setError] = useState<unknown>();
  const [refused, setRefused] = useState<Refused>();
  const { integrationId, groupRef } = customer;
  const fillIn = async (): Promise<void> => {
    setError(undefined);
    try {
      const query = { integrationId, objectName, groupRef, excludeReadOnly: true };
      setSample(sampleRecord(await api.getObjectMetadataForInstallation(query)));
      noteAnswer();
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    }
  };
  const send = async (values: Values, isPlan: boolean): Promise<void> => {
    setReply(undefined);
    setRefused(undefined);
    const { type, apiKey = '' } = values;
    const writeApi = writeApiOf({
      writeUrl,
      apiKey: apiKey === '' ? (session.apiKey ?? '') : apiKey,
      ...session.project,
    });
    const record = readRecord(values['record'] ?? '');
    const body = { groupRef, type: type as WriteRequest['type'], record };
    const mode = isPlan ? { dryRun: 'true' as const } : {};
    try {
      setReply((await writeApi.writeRecords({ integrationId, objectName, ...mode, body })) as Reply);
    } catch (caught) {
      setRefused(refusedOf(record, caught));
      throw caught;
    }
  };
  return (
    <section class="panel">
      {objects.length === 0 ? (
        <p>The manifest of {customer.integrationName} declares no object to write.</p>
      ) : (
        <>
          <div class="filters">
            <ObjectChoice objects={objects} chosen={objectName} onChoose={setObject} />
            <button type="button" onClick={() => void fillIn()}>
              Fill in a sample
            </button>
          </div>
          {error === undefined ? null : <Problem error={error} title="The fields of the account could not be read" />}
          <Form
            key={`${objectName} ${sample}`}
            fields={fieldsOf(session, sample)}
            verb="Plan (dry run)"
            failure="The write was refused"
            isKept
            onSubmit={(values) => send(values, true)}
            second={{ verb: `Send to ${customer.groupName ?? groupRef}`, onSubmit: (values) => send(values, false) }}
          />
          {refused === undefined ? null : <RefusedFields refused={refused} />}
          <div role="status">{reply === undefined ? null : <Outcome reply={reply} />}</div>
        </>
      )}
    </section>
  );
}

interface ObjectOptions {
  readonly objects: readonly string[];
  readonly chosen: string;
  readonly onChoose: (objectName: string) => void;
}

function ObjectChoice({ objects, chosen, onChoose }: ObjectOptions) {
  return (
    <label>
      Object
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {objects.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The fields of a record that was refused, with what the provider says of each. */
type Refused = readonly {
  readonly field: string;
  readonly value: unknown;
  readonly problems: readonly RecordProblem[];
}[];

/** Those with problems first. Undefined: no problem names a field. */
function refusedOf(record: WriteRecord, error: unknown): Refused | undefined {
  const { problems = [] } = error as { readonly problems?: readonly RecordProblem[] };
  const ofFields = Map.groupBy(
    problems.filter(({ field }) => field !== undefined),
    ({ field = '' }) => field,
  );
  if (ofFields.size === 0) return undefined;
  const named = [...ofFields].map(([field, of]) => ({ field, value: record[field] ?? of[0]?.value, problems: of }));
  const others = Object.entries(record).filter(([field]) => !ofFields.has(field));
  return [...named, ...others.map(([field, value]) => ({ field, value, problems: [] }))];
}

const refusedColumns: readonly Column<Refused[number]>[] = [
  { title: 'Field', width: 'wide', phone: 'name', cell: ({ field }) => field },
  { title: 'Value', class: 'answer', cell: ({ value }) => <code>{JSON.stringify(value)}</code> },
  {
    title: 'What the provider says',
    class: 'answer',
    cell: ({ problems }) =>
      problems.length === 0 ? (
        <span class="fine">nothing</span>
      ) : (
        problems.map(({ code, message }) => (
          <div key={`${code} ${message}`} class="bad-text">
            {message} {code === undefined ? null : <code>{code}</code>}
          </div>
        ))
      ),
  },
];

function RefusedFields({ refused }: { readonly refused: Refused }) {
  return (
    <>
      <p>Correct what is marked, and send it again:</p>
      <Table
        columns={refusedColumns}
        rows={refused}
        keyOf={({ field }) => field}
        caption="Fields of the refused record"
      />
    </>
  );
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
