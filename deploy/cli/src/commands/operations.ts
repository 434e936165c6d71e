import { failedRecordLine, failedRecordsHeader } from '@sluice/types';
import type { Log, Operation, OperationRecord, OperationStatus } from '@sluice/types';
import {
  clockTime,
  type Column,
  grouped,
  plain,
  print,
  renderFields,
  renderTable,
  shortened,
  shortTime,
} from '../output/print';
import { CommandFailure, exitCodes } from '../failure';
import { collect, connect, type Connected, type Management, type GivenOptions } from '../profiles/connect';
import { momentOf, readLimit } from '../read-options';

interface ListOptions extends GivenOptions {
  readonly status?: OperationStatus;
  readonly group?: string;
  readonly object?: string;
  readonly since?: string;
  readonly limit: string;
}

const columns: readonly Column<Operation>[] = [
  ['CREATED', ({ createTime }) => shortTime(createTime)],
  ['OBJECT', ({ resource }) => resource ?? '-'],
  ['STATUS', ({ status }) => status],
  ['OPERATION', ({ id }) => id],
  ['RESULT', ({ result }) => shortened(result ?? '-')],
];

/** `sluice op list`. */
export async function list(_args: readonly string[], options: ListOptions): Promise<void> {
  const { status, group, object, since } = options;
  const limit = readLimit(options.limit);
  const filter = {
    ...(status !== undefined && { status }),
    ...(group !== undefined && { groupRef: group }),
    ...(object !== undefined && { objectName: object }),
    ...(since !== undefined && { since: momentOf(since) }),
  };
  const { management } = await connect(options);
  const operations = await readPages(management, filter, limit);
  print(options, operations, () => renderTable(operations, columns, 'No operations.'));
}

type Filter = Parameters<Management['listOperationsForProject']>[0];

/** Operations of one page. */
const pageMax = 200;

async function readPages(management: Management, filter: Filter, limit: number): Promise<readonly Operation[]> {
  const found: Operation[] = [];
  for (let token: string | undefined; ;) {
    const pageSize = Math.min(pageMax, limit - found.length);
    const page = token === undefined ? {} : { pageToken: token };
    const { results, pagination } = await management.listOperationsForProject({ ...filter, ...page, pageSize });
    found.push(...results);
    token = pagination.nextPageToken;
    if (token === undefined || found.length >= limit) return found;
  }
}

interface DescribeOptions extends GivenOptions {
  readonly failed?: boolean;
}

interface RecordsOptions extends DescribeOptions {
  readonly csv?: boolean;
}

/** `sluice op records <id>`: each record, or with `--failed --csv` the failed ones as CSV, a page at a time. */
export async function records([operationId = '']: readonly string[], options: RecordsOptions): Promise<void> {
  const { csv: isCsv = false, failed: isFailed = false, json: isJson = false } = options;
  if (isCsv && (isJson || !isFailed)) {
    const detail = isJson ? 'two forms of one output: choose one' : 'for the records that failed: add --failed';
    throw new CommandFailure(`--csv ${isJson ? 'and --json are' : 'is'} ${detail}.`, exitCodes.usage);
  }
  const { client } = await connect(options);
  const found = client.iterate.listOperationRecords({ operationId, ...(isFailed && { status: 'failed' }) });
  if (!isCsv) {
    const all = await collect(found);
    return print(options, all, () => renderRecords(all));
  }
  process.stdout.write(failedRecordsHeader);
  for await (const record of found) process.stdout.write(failedRecordLine(record));
}

/** `sluice op describe <id>`: `{ operation, records }`. */
export async function describe([operationId = '']: readonly string[], options: DescribeOptions): Promise<void> {
  const { management } = await connect(options);
  const operation = await management.getOperation({ operationId });
  const filter = options.failed === true ? ({ status: 'failed' } as const) : {};
  const { results } = await management.listOperationRecords({ operationId, ...filter });
  print(options, { operation, records: results }, () => `${renderOperation(operation)}\n\n${renderRecords(results)}`);
}

function renderOperation({ id, status, result, resource, metadata, ...more }: Operation): string {
  const attempts = metadata?.retry?.attempts;
  return renderFields([
    ['operation', id],
    ['object', resource],
    ['status', status],
    ['result', result],
    ['attempts', attempts === undefined ? undefined : grouped(attempts)],
    ['installation', more.installationId],
    ['config', more.configId],
    ['created', shortTime(more.createTime)],
    ['updated', shortTime(more.updateTime)],
  ]);
}

const recordColumns: readonly Column<OperationRecord>[] = [
  ['RECORD', ({ index }) => String(index)],
  ['REF', ({ ref }) => ref ?? '-'],
  ['STATUS', ({ status }) => status],
  ['PROVIDER ID', ({ recordId }) => recordId ?? '-'],
  [
    'WHY',
    ({ error, warnings }) => (error === undefined ? (warnings?.join('; ') ?? '') : `${error.class}: ${error.message}`),
  ],
];

function renderRecords(rows: readonly OperationRecord[]): string {
  return renderTable(rows, recordColumns, 'No records.');
}

/** `sluice op logs <id>`. */
export async function logs([operationId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const log = await readLog(await connect(options), operationId);
  print(options, log, () => renderLog(log, new Date().toISOString()));
}

/** All pages: the last one tells how the operation ended. */
async function readLog({ client, management }: Connected, operationId: string): Promise<readonly Log[]> {
  const log: Log[] = [];
  for (let pageToken: string | undefined; ;) {
    const page = { operationId, ...(pageToken !== undefined && { pageToken }) };
    const { status, headers, body } = await client.raw.management.listOperationLogs(page);
    if (status >= 300) {
      // The other client repeats what may be repeated, and explains what is refused.
      await management.listOperationLogs(page);
      continue;
    }
    log.push(...body);
    pageToken = /[?&]pageToken=([\w-]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (pageToken === undefined) return log;
  }
}

/** A line for each; what did not happen today names its day. */
export function renderLog(log: readonly Log[], now: string): string {
  const lines = log.map(
    ({ timestamp, severity, message }) => `${clockTime(timestamp, now)}  ${severity.padEnd(5)}  ${plain(message.msg)}`,
  );
  return lines.join('\n') || 'Nothing has happened yet.';
}

interface ReplayOptions extends GivenOptions {
  readonly force?: boolean;
}

/** `sluice op cancel <id>`: prints the current state of the operation. */
export async function cancel([operationId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const operation = await management.cancelOperation({ operationId });
  print(
    options,
    operation,
    () => `A cancel is asked for: what has not been sent ends as failed. Follow it: sluice op watch ${operation.id}`,
  );
}

/** `sluice op replay <id>`: the new operation. */
export async function replay([operationId = '']: readonly string[], options: ReplayOptions): Promise<void> {
  const { management } = await connect(options);
  const force = options.force === true ? { force: true } : {};
  const operation = await management.replayOperation({ operationId, ...force });
  print(options, operation, () => `The failed records are written again by: sluice op watch ${operation.id}`);
}
