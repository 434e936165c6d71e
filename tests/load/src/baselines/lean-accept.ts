import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { newId } from '@sluice/store';
import express from 'express';
import { Pool } from 'pg';
import { readArgument } from '../harness/child';
import { listen, type BaselineArgument } from './listen';

/**
 * The least that keeps the promise of an accept: a key whose hash is in memory, a body that its schema allows, and the three rows that an accept
 * commits, into the same tables, before the reply. Like the gateway it commits what arrives together in one statement. It looks up nothing, maps
 * nothing, checks no revision, limit or idempotency key, and announces nothing.
 */
const { databaseUrl, apiKey } = readArgument() as Pick<BaselineArgument, 'databaseUrl'> & { readonly apiKey: string };
const pool = new Pool({ connectionString: databaseUrl, max: 2 });
const keys = new Set([hashOf(apiKey)]);

interface Body {
  readonly groupRef: string;
  readonly type: string;
  readonly record: object;
}

// The validator of libs/http and testkit. The benchmark takes it from there, so that no package depends on it for a baseline.
const { Ajv } = createRequire(require.resolve('@sluice/testkit'))('ajv') as {
  readonly Ajv: new () => { compile(schema: object): (value: unknown) => value is Body };
};
const isWrite = new Ajv().compile({
  type: 'object',
  additionalProperties: false,
  required: ['groupRef', 'type', 'record'],
  properties: {
    groupRef: { type: 'string', minLength: 1, maxLength: 255 },
    type: { enum: ['create', 'update', 'delete'] },
    mode: { enum: ['synchronous', 'asynchronous'] },
    record: { type: 'object' },
  },
});

/** Sizes of the gateway's own group commit (`groupCommit` of libs/writes). */
const [itemsMax, runsMax, itemsMin] = [128, 2, 48];
interface Waiting extends Body {
  readonly id: string;
  readonly settled: (error?: Error) => void;
}
let waiting: Waiting[] = [];
let running = 0;

const app = express().disable('x-powered-by').disable('etag').disable('query parser');
app.post('/writes', async (request, response) => {
  const isKnown = keys.has(hashOf(request.get('x-api-key') ?? ''));
  const body: unknown = JSON.parse(await textOf(request));
  if (!isKnown || !isWrite(body)) {
    response.sendStatus(isKnown ? 400 : 401);
    return;
  }
  const id = newId();
  await accept(id, body);
  const reply = JSON.stringify({ operationId: id });
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) })
    .end(reply);
});
listen(app);

function hashOf(key: string): string {
  return hash('sha256', key, 'base64');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function accept(id: string, body: Body): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push({ ...body, id, settled: (error) => (error === undefined ? resolve() : reject(error)) });
    if (waiting.length === 1 || waiting.length === itemsMin) setImmediate(commitWaiting);
  });
}

function commitWaiting(): void {
  while (running < runsMax && waiting.length >= (running === 0 ? 1 : itemsMin)) {
    const group = waiting.splice(0, itemsMax);
    running += 1;
    void settle(group);
  }
}

async function settle(group: readonly Waiting[]): Promise<void> {
  const error = await commit(group).then(
    () => undefined,
    (cause: Error) => cause,
  );
  running -= 1;
  commitWaiting();
  for (const { settled } of group) settled(error);
}

function commit(group: readonly Waiting[]): Promise<unknown> {
  return pool.query({
    name: 'accept',
    text: insertSql,
    values: [
      group.map(({ id }) => id),
      group.map(({ groupRef }) => groupRef),
      group.map(({ type }) => type),
      // As one text, which neither side has to escape: the separator can stand in JSON only escaped.
      group.map(({ type, record }) => JSON.stringify({ type, objectName: 'contacts', fields: record })).join(separator),
    ],
  });
}

const separator = '\x1f';
const traceparent = `'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'`;
/** An account for each group. The ids of what an installation pins are as long as ours. */
const pins = ['integration', 'installation', 'config', 'connection'].map((noun) => `'${noun.padEnd(36, '-')}'`);
const [integration, installation, config, connection] = pins;
const insertSql = `
  with given as materialized (
    select 'project'::text as project_id, id, 'lane of ' || group_ref as lane_id, type, plan
    from unnest($1::text[], $2::text[], $3::text[], string_to_array($4::text, '${separator}')) as given(id, group_ref, type, plan)),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, ${integration}, ${installation}, ${config}, ${connection}, lane_id, 'contacts', type, 'asynchronous',
      'queued', 1, 1, ${traceparent} from given),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      traceparent, plan_kb, deadline)
    select project_id, id, 1, lane_id, ${connection}, 'contacts', type, 'asynchronous', 'ready', ${traceparent}, 1,
      now() + interval '48 hours' from given)
  insert into records (project_id, operation_id, record_index, accept_seq, traceparent, config_id, headers_key, plan, retry_ms)
  select project_id, id, 0, nextval('accept_seq'), ${traceparent}, ${config}, '', plan, 172800000 from given`;
