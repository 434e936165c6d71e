import { readExplanation, type SluiceClient } from '@sluice/client';
import { failedRecordLine, failedRecordsHeader, reasonOf } from '@sluice/types';
import type { Log, Operation, OperationRecord, OperationStatus } from '@sluice/types';
import { argument, asking, connected, ofGroup, option, since, type Group } from '../command';
import { renderExplanation } from '../explain/render-explanation';
import { CommandFailure, exitCodes } from '../failure';
import { clockTime, fields, grouped, plain, print, shortened, table } from '../output/print';
import type { Connected, GivenOptions } from '../profiles/connect';
import { collect, given, momentOf, readLimit } from '../read-options';
import { watch } from './op-watch';

interface ListOptions {
  readonly status?: OperationStatus;
  readonly group?: string;
  readonly object?: string;
  readonly ref?: string;
  readonly record?: string;
  readonly hasFailures?: boolean;
  readonly since?: string;
  readonly limit: string;
}

interface ExplainOptions {
  readonly record?: string;
  readonly all?: boolean;
}

interface RecordsOptions extends GivenOptions {
  readonly failed?: boolean;
  readonly csv?: boolean;
}

/** Operations of one page. */
const pageMax = 200;

const operationId = argument('<operationId>', 'as the reply of the write gave it');
const onlyFailed = option('--failed', 'only the records that failed');

const named = (ref?: string, name?: string): string | undefined =>
  name === undefined || name === ref ? ref : `${ref} (${name})`;

/** A line of a list is read for why a record failed, so that stands before what is cut. */
export function reasonFirst(result: string): string {
  const [, counts, reason] = /^Batch write completed \((.+?)\)\. First error, (.+)$/s.exec(result) ?? [];
  const text = counts === undefined ? result : `${counts}: ${reason}`;
  // What a provider lists as JSON behind its sentence.
  const [sentence = '', list = ''] = /[^:]+: (\[\{.*\}\])$/s.exec(text) ?? [];
  const messages = messagesOf(list);
  return messages === undefined ? text : `${text.slice(0, text.length - sentence.length)} ${messages}`.trimStart();
}

function messagesOf(list: string): string | undefined {
  try {
    const messages = (JSON.parse(list) as { readonly message?: string }[]).flatMap(({ message }) => message ?? []);
    return messages.length === 0 ? undefined : messages.join('; ');
  } catch {
    return undefined;
  }
}

const renderOperation = fields<Operation>([
  ['operation', 'id'],
  ['object', 'resource'],
  ['group', ({ groupRef, groupName }) => named(groupRef, groupName)],
  'status',
  'result',
  ['attempts', ({ metadata }) => metadata?.retry?.attempts?.toString()],
  ['installation', 'installationId'],
  ['config', 'configId'],
  'createTime',
  'updateTime',
]);

const renderRecords = table<OperationRecord>('No records.', [
  ['record', ({ index }) => String(index)],
  'ref',
  'status',
  ['provider id', 'recordId'],
  ['known by', ({ identifiedBy: by }) => by && `${by.field} ${by.value}`],
  [
    'why',
    ({ error, problems, warnings = [] }) =>
      error === undefined ? warnings.join('; ') : `${error.class}: ${reasonOf(error, problems)}`,
  ],
]);

/** `sluice op`: operations from their list to the replay of one. */
export const operations: Group = {
  about: 'list, watch, explain, cancel and replay operations',
  commands: {
    list: asking({
      about: 'list operations, newest first',
      takes: [
        option('--status <status>', 'only of this status').choices(['in_progress', 'success', 'failure']),
        ofGroup,
        option('--object <name>', 'only of this object'),
        option('--ref <ref>', 'only those with a record that was sent with this Sluice-Record-Ref'),
        option('--record <id>', 'only those with a record that has this id at the provider'),
        option('--has-failures', 'only those of which a record failed, or is not known to be written'),
        since('accepted'),
        option('--limit <count>', 'most operations', '20'),
      ],
      ask: ({ client }, options: ListOptions) => collect(listed(client, options), readLimit(options.limit)),
      show: table<Operation>('No operations.', [
        'createTime',
        ['group', 'groupRef'],
        ['object', 'resource'],
        'status',
        ['operation', 'id'],
        ['result', ({ result }) => result && shortened(reasonFirst(result))],
      ]),
    }),
    describe: asking({
      about: 'show an operation and its records',
      takes: [operationId, onlyFailed],
      ask: async (to, { failed }: RecordsOptions, id) => ({
        operation: await to.management.getOperation({ operationId: id }),
        records: await collect(recordsOf(to, id, failed)),
      }),
      show: ({ operation, records }) => `${renderOperation(operation)}\n\n${renderRecords(records)}`,
    }),
    records: {
      about: 'list the records of an operation',
      takes: [operationId, onlyFailed, option('--csv', 'with --failed: print them as CSV')],
      run: printRecords,
    },
    watch: {
      about: 'follow an operation, or the batch that it is, to its end',
      takes: [operationId, option('--timeout <seconds>', 'leave after this long, with exit code 4')],
      run: watch,
    },
    explain: asking({
      about: 'what happened to each record and why',
      takes: [
        operationId,
        option('--record <index>', 'only this record'),
        option('--all', 'each record, also beyond the first three with equal problems'),
      ],
      ask: async ({ management }, { record }: ExplainOptions, id) => {
        const all = await readExplanation(management, id);
        if (record === undefined) return all;
        const records = all.records.filter(({ index }) => String(index) === record);
        if (records.length > 0) return { ...all, records };
        const count = grouped(all.records.length);
        throw new CommandFailure(`There is no record ${record} in this operation: it has ${count}, from 0 on.`);
      },
      show: (explanation, { all }) => renderExplanation(explanation, all),
    }),
    logs: asking({
      about: 'the log of an operation',
      takes: [operationId],
      // All pages: the last one tells how the operation ended.
      ask: ({ client }, _options, id) => collect(client.iterate.listOperationLogs({ operationId: id })),
      show: (log) => renderLog(log, new Date().toISOString()),
    }),
    cancel: asking({
      about: 'end the records that have not been sent',
      takes: [operationId],
      ask: ({ management }, _options, id) => management.cancelOperation({ operationId: id }),
      show: ({ id }) =>
        `A cancel is asked for: what has not been sent ends as failed. Follow it: sluice op watch ${id}`,
    }),
    replay: asking({
      about: 'write the failed records again, as a new operation',
      takes: [operationId, option('--force', 'also those of unknown outcome: the provider may then have them twice')],
      ask: ({ management }, { force }: { readonly force?: boolean }, id) =>
        management.replayOperation({ operationId: id, ...given({ force }) }),
      show: ({ id }) => `The failed records are written again by: sluice op watch ${id}`,
    }),
  },
};

/** A record is found in whatever installation: by the search of any text, of which only what a record has is kept. */
async function* listed(
  client: SluiceClient,
  { status, group, object, ref, record, hasFailures, since: from, limit }: ListOptions,
): AsyncIterable<Operation> {
  if (ref !== undefined && record !== undefined)
    throw new CommandFailure('--ref and --record name one record: choose one.', exitCodes.usage);
  const pageSize = Math.min(pageMax, readLimit(limit));
  const after = from === undefined ? undefined : momentOf(from);
  const filter = given({ status, groupRef: group, objectName: object, hasFailures, since: after });
  const by = ref === undefined ? 'recordId' : 'recordRef';
  const search = ref ?? record;
  const found = client.iterate.listOperationsForProject({ ...filter, ...given({ search }), pageSize });
  for await (const operation of found) {
    if (search === undefined || operation.foundBy?.includes(by)) yield operation;
  }
}

/** Each record, or with `--failed --csv` the failed ones as CSV, a page at a time. */
async function printRecords({ failed, csv, ...options }: RecordsOptions, id: string): Promise<void> {
  const { json } = options;
  if (csv === true && (json === true || failed !== true)) {
    const fault =
      json === true ? 'and --json are two forms: choose one' : 'is for the records that failed: add --failed';
    throw new CommandFailure(`--csv ${fault}.`, exitCodes.usage);
  }
  await connected(options, async (to) => {
    const records = recordsOf(to, id, failed);
    if (csv !== true) {
      const all = await collect(records);
      return print(options, all, () => renderRecords(all));
    }
    // A file gets the text as it is; a screen shows it escaped.
    const shown = (line: string) => (process.stdout.isTTY ? `${plain(line.trimEnd())}\n` : line);
    process.stdout.write(shown(failedRecordsHeader));
    for await (const record of records) process.stdout.write(shown(failedRecordLine(record)));
  });
}

function recordsOf({ client }: Connected, id: string, failed: boolean | undefined): AsyncIterable<OperationRecord> {
  return client.iterate.listOperationRecords({ operationId: id, ...(failed === true && { status: 'failed' }) });
}

/** A line for each; what did not happen today names its day. */
export function renderLog(log: readonly Log[], now: string): string {
  const lines = log.map(
    ({ timestamp, severity, message }) => `${clockTime(timestamp, now)}  ${severity.padEnd(5)}  ${plain(message.msg)}`,
  );
  return lines.join('\n') || 'Nothing has happened yet.';
}
