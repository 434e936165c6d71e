import { writeFileSync } from 'node:fs';
import type {
  ExplainedAttempt,
  ExplainedCall,
  ExplainedPlan,
  ExplainedRecord,
  ExportedAttempt,
  ExportedCall,
  ExportedRecord,
  OperationExplanation,
  OperationExport,
} from '@sluice/types';
import { CommandFailure } from '../failure';
import { standInIds } from '../export/stand-in-ids';
import { connect, type GivenOptions } from '../profiles/connect';
import { readExplanation } from './op-explain';

interface ExportOptions extends GivenOptions {
  readonly out?: string;
}

/** `sluice op export <id>`: always one JSON document. */
export async function run([operationId = '']: readonly string[], { out, ...options }: ExportOptions): Promise<void> {
  const { management } = await connect(options);
  const document = `${JSON.stringify(toExport(await readExplanation(management, operationId)), null, 2)}\n`;
  if (out === undefined) return void process.stdout.write(document);
  try {
    writeFileSync(out, document, { mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(`${out} cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
  if (options.json === true) return void process.stdout.write(`${JSON.stringify({ file: out })}\n`);
  const port = '127.0.0.1:9229:9229';
  process.stdout.write(`Written to ${out}, without values and credentials. Replay it with an executor alone:
  docker run --rm -i sluice/executor node dist/replay.js < ${out}
with an inspector that waits for you:
  docker run --rm -i -p ${port} sluice/executor node --inspect-brk=0.0.0.0:9229 dist/replay.js < ${out}
`);
}

/**
 * What is needed to decide again what was decided: forms, classes and times that count from the first send. A list of what is kept,
 * so that a member that is added to the explanation is not exported by itself: no values, no words of the provider, which may repeat
 * them, no references of the caller; ids of records become others that are spelled alike.
 */
function toExport({ operation, calls, records, ...course }: OperationExplanation): OperationExport {
  const sends = calls.flatMap(({ attempts }) => attempts.map(({ sentAt }) => Date.parse(sentAt)));
  const startMs = Math.min(Date.parse(operation.createTime ?? new Date(0).toISOString()), ...sends);
  const idOf = standInIds();
  return {
    format: 'sluice-operation-1',
    operationId: operation.id,
    status: operation.status,
    provider: course.provider,
    type: course.type,
    mode: course.mode,
    ...(course.batch === undefined ? {} : { isFullBatch: course.batch.isFull }),
    calls: calls.map((call) => toCall(call, startMs)),
    records: records.map((record) => toRecord(record, startMs, idOf)),
  };
}

function toCall({ number, state, allOrNone, attempts }: ExplainedCall, startMs: number): ExportedCall {
  return { number, state, allOrNone, attempts: attempts.map((attempt) => toAttempt(attempt, startMs)) };
}

function toAttempt(attempt: ExplainedAttempt, startMs: number): ExportedAttempt {
  const { number, sentAt, finishedAt, durationMs, status, error, isLate, recordIndexes } = attempt;
  return {
    number,
    sentAtMs: Date.parse(sentAt) - startMs,
    ...(finishedAt === undefined ? {} : { finishedAtMs: Date.parse(finishedAt) - startMs }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { class: error.class }),
    ...(isLate === true ? { isLate } : {}),
    recordIndexes,
  };
}

function toRecord(record: ExplainedRecord, startMs: number, idOf: (id: string) => string): ExportedRecord {
  const { index, call, status, sendState, error, retryUntil, plan } = record;
  return {
    index,
    ...(call === undefined ? {} : { call }),
    status,
    sendState,
    ...(error === undefined ? {} : { class: error.class }),
    ...(retryUntil === undefined ? {} : { retryUntilMs: Date.parse(retryUntil) - startMs }),
    ...(plan === undefined ? {} : { plan: toPlan(plan, idOf) }),
  };
}

function toPlan(plan: ExplainedPlan, idOf: (id: string) => string): ExplainedPlan {
  const { objectName, recordId, fields, ifEmpty, notes, associations, headers } = plan;
  return {
    objectName,
    ...(recordId === undefined ? {} : { recordId: idOf(recordId) }),
    fields,
    ...(ifEmpty === undefined ? {} : { ifEmpty }),
    ...(notes === undefined ? {} : { notes }),
    ...(associations === undefined ? {} : { associations }),
    ...(headers === undefined ? {} : { headers }),
  };
}
