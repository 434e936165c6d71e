import type { AcceptedWriteReply, DryRunReply, SingleWriteReply, WriteRecord, WriteRequest } from '@sluice/types';
import { argument, asking, option, required } from '../command';
import { CommandFailure } from '../failure';
import { jsonOf, table } from '../output/print';
import { given, readInput } from '../read-options';

interface WriteOptions {
  readonly integration: string;
  readonly group: string;
  readonly type: WriteRequest['type'];
  readonly record: string;
  readonly asynchronous?: boolean;
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string;
}

/** `sluice write <object>`: one record, or with `--dry-run` what would be sent of it. */
export const write = asking({
  about: 'write one record into the account of a customer, or show what would be written',
  takes: [
    argument('<object>', 'contacts, Contact, …'),
    required('--integration <idOrName>', 'with this integration'),
    required('--group <ref>', 'for this customer'),
    option('--type <type>', 'what to do with the record', 'create').choices(['create', 'update', 'delete']),
    option('--record <file>', 'the record, a JSON object; - reads it from standard input', '-'),
    option('--dry-run', 'show each field as it would be sent, with mappings and defaults, and write nothing'),
    option('--asynchronous', 'accept it now and write it later'),
    option('--idempotency-key <key>', 'a repeat with the same key writes nothing twice'),
  ],
  ask: async (to, options: WriteOptions, objectName) => {
    const record = readRecord(options.record, await readInput(options.record));
    const { integration: integrationId, group: groupRef, type, idempotencyKey } = options;
    const mode = options.asynchronous === true ? { mode: 'asynchronous' as const } : {};
    const dryRun = options.dryRun === true ? { dryRun: 'true' as const } : {};
    const params = { integrationId, objectName, ...dryRun, body: { groupRef, type, ...mode, record } };
    return (await to.write.writeRecords(params, given({ idempotencyKey }))) as WriteReply;
  },
  show: describeReply,
});

const renderPlan = table<DryRunReply['plan'][number]>('No field would be sent.', [
  'field',
  ['at the provider', ({ providerField, sent }) => (sent ? providerField : '(not sent)')],
  ['value', ({ value, sent }) => (sent ? jsonOf(value) : undefined)],
  ['why', 'reason'],
]);

type WriteReply = DryRunReply | SingleWriteReply | AcceptedWriteReply;

function describeReply(reply: WriteReply): string {
  if ('plan' in reply) {
    return `${renderPlan(reply.plan)}\n\nNothing was written.`;
  }
  if ('result' in reply) {
    const { recordId } = reply.result;
    const named = recordId === undefined ? '' : ` The provider's id: ${recordId}.`;
    return `Written.${named} How: sluice op explain ${reply.operationId}`;
  }
  return `Accepted: it will be written. Follow it: sluice op watch ${reply.operationId}`;
}

/** @throws CommandFailure for what is no JSON object */
function readRecord(path: string, json: string): WriteRecord {
  const from = path === '-' ? 'Standard input' : path;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new CommandFailure(
      `${from} is no JSON: ${(error as Error).message}. A record is {"email": "zoe@example.com"}.`,
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as WriteRecord;
  throw new CommandFailure(`${from} is no record: it must be one JSON object, such as {"email": "zoe@example.com"}.`);
}
