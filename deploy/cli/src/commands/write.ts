import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { AcceptedWriteReply, DryRunReply, SingleWriteReply, WriteRecord, WriteRequest } from '@sluice/types';
import { CommandFailure } from '../failure';
import { type Column, print, renderTable } from '../output/print';
import { connectToWrite, type GivenOptions } from '../profiles/connect';

interface WriteOptions extends GivenOptions {
  readonly integration: string;
  readonly group: string;
  readonly type: WriteRequest['type'];
  readonly record: string;
  readonly asynchronous?: boolean;
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string;
}

type Decision = DryRunReply['plan'][number];

const columns: readonly Column<Decision>[] = [
  ['FIELD', ({ field }) => field],
  ['AT THE PROVIDER', ({ providerField, sent }) => (sent ? (providerField ?? '-') : '(not sent)')],
  ['VALUE', ({ value, sent }) => (sent ? JSON.stringify(value) : '-')],
  ['WHY', ({ reason }) => reason],
];

/** `sluice write <object>`: one record, or with `--dry-run` what would be sent of it. */
export async function run([objectName = '']: readonly string[], options: WriteOptions): Promise<void> {
  const record = readRecord(options.record, await textOf(options.record));
  const { client } = await connectToWrite(options);
  const { integration: integrationId, group: groupRef, type, idempotencyKey } = options;
  const mode = options.asynchronous === true ? { mode: 'asynchronous' as const } : {};
  const dryRun = options.dryRun === true ? { dryRun: 'true' as const } : {};
  const reply = await client.write.writeRecords(
    { integrationId, objectName, ...dryRun, body: { groupRef, type, ...mode, record } },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
  print(options, reply, () => describeReply(reply as DryRunReply | SingleWriteReply | AcceptedWriteReply));
}

function describeReply(reply: DryRunReply | SingleWriteReply | AcceptedWriteReply): string {
  if ('plan' in reply) {
    return `${renderTable(reply.plan, columns, 'No field would be sent.')}\n\nNothing was written.`;
  }
  if ('result' in reply) {
    const { recordId } = reply.result;
    const named = recordId === undefined ? '' : ` The provider's id: ${recordId}.`;
    return `Written.${named} How: sluice op explain ${reply.operationId}`;
  }
  return `Accepted: it will be written. Follow it: sluice op watch ${reply.operationId}`;
}

async function textOf(path: string): Promise<string> {
  if (path === '-') return await text(process.stdin);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read: ${(error as Error).message}`);
  }
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
