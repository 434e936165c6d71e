import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { readLog, startStack, type OwnStack } from '../harness/stack';
import { startCollector, type Collector, type Span } from '../harness/collector';

/** Field values, as a customer has them: none of them may be in a span, whatever happens to the write. */
const canary = `canary-${Date.now().toString(36)}`;
const root = join(__dirname, '../..');
const operationOf = ({ attributes }: Span) => attributes['sluice.operation.id'];
const create = (name: string, more: object = {}) => ({
  type: 'create',
  record: { email: `${canary}-${name}@example.com` },
  ...more,
});
const asynchronous = { mode: 'asynchronous' };
const autoBatched = { ...asynchronous, autoBatchPolicy: { maxDelayMinutes: 3 } };

let traces = 0;
/** A builder's own trace, sampled or not. */
function builderTrace(flag: '00' | '01') {
  const traceId = `4bf92f3577b34da6a3ce929d${(traces += 1).toString(16).padStart(8, '0')}`;
  return {
    traceId,
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flag}`, tracestate: `builder=${canary}` },
  };
}

let collector: Collector;
let stack: OwnStack;
let customer: Customer;
beforeAll(async () => {
  collector = await startCollector();
  stack = await startStack({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // The builder's flag says which write is sampled, so that a test can.
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
      // Longer than a slow machine takes to hand a batch over: only a collector that hangs is late.
      OTEL_EXPORTER_OTLP_TIMEOUT: '4000',
      SLUICE_LOG_LEVEL: 'debug',
    },
  });
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
});
afterAll(async () => {
  await stack.stop();
  await collector.close();
});

/** The spans of an operation, once the last one has come. */
function spansOf(operationId: string, last: string): Promise<Span[]> {
  return until(`${last} of ${operationId} is exported`, async () => {
    const spans = collector.spans().filter((span) => operationOf(span) === operationId);
    return spans.some(({ name }) => name === last) ? spans : undefined;
  });
}

const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);
const only = (spans: readonly Span[], name: string): Span => {
  const found = named(spans, name);
  expect(found.map((span) => span.name)).toEqual([name]);
  const [span] = found;
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
};
const accept = 'POST /v1/projects/:projectIdOrName/integrations/:integrationId/objects/:objectName';

describe('an auto-batched write', () => {
  it('is found whole by its operation: accept, flush, call, attempt, settlement, and a link to each accept', async () => {
    const [first, second] = [builderTrace('01'), builderTrace('01')];
    const joined = await Promise.all(
      [first, second].map(({ headers }, at) =>
        customer.write('contacts', create(`batched-${at}`, autoBatched), headers),
      ),
    );
    const [operationId = '', ...others] = [...new Set(joined.map(({ body }) => body.operationId))];
    expect(others).toEqual([]);
    await customer.ended(operationId);
    const spans = await spansOf(operationId, 'call.claim');

    const accepts = named(spans, accept);
    expect(accepts.map(({ traceId }) => traceId).toSorted()).toEqual([first.traceId, second.traceId]);
    expect(accepts.map(({ parentSpanId }) => parentSpanId)).toEqual(['00f067aa0ba902b7', '00f067aa0ba902b7']);
    const flush = only(spans, 'batch.flush');
    const opened = accepts.find(({ spanId }) => spanId === flush.parentSpanId);
    const other = accepts.find((span) => span !== opened);
    const run = only(spans, 'call.claim');
    const perform = only(spans, 'call.perform');
    const chain = [flush.parentSpanId, run.parentSpanId, perform.parentSpanId, only(spans, 'call.settle').parentSpanId];
    expect(chain).toEqual([opened?.spanId, opened?.spanId, run.spanId, run.spanId]);
    expect(only(spans, 'hubspot batch-create').parentSpanId).toBe(perform.spanId);
    const link = [{ traceId: other?.traceId, spanId: other?.spanId }];
    expect([flush.links, run.links]).toEqual([link, link]);
    expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['write-gateway', 'batcher', 'executor']));
    expect(run.attributes).toMatchObject({
      'sluice.records.succeeded': 2,
      'sluice.attempt': 1,
      // Whichever comes first: the sweep of an idle executor may.
      'sluice.source': expect.stringMatching(/^(message|sweep)$/),
    });
    expect(spans.filter(({ isFailed }) => isFailed)).toEqual([]);
    const flow = readFileSync(join(root, 'docs/FLOW.md'), 'utf8');
    const listed = [...flow.matchAll(/^\| `([^`]+)` \((?:gateway|batcher|executor)\)/gm)].map(([, name]) => name);
    expect(new Set(spans.map(({ name }) => name))).toEqual(new Set(listed));
  });
});

describe('what somebody waits for', () => {
  it('a synchronous write: the provider call and the settlement inside the request', async () => {
    const { traceId, headers } = builderTrace('01');
    const { operationId } = (await customer.write('contacts', create('sync'), headers)).body;
    const spans = await spansOf(operationId, 'call.settle');
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const request = only(spans, accept);
    const perform = only(spans, 'call.perform');
    expect(perform.parentSpanId).toBe(request.spanId);
    expect(only(spans, 'hubspot create').parentSpanId).toBe(perform.spanId);
    expect(request.attributes).toMatchObject({ 'sluice.write.mode': 'synchronous', 'http.response.status_code': 200 });
  });

  it('a search that the provider refuses is kept, whatever the builder samples', async () => {
    await customer.account.fault({ action: { kind: 'status', status: 400, body: { message: canary, category: 'X' } } });
    expect((await customer.search('contacts', { email: `${canary}@example.com` })).status).toBe(422);
    const failed = await until('the search is exported', async () =>
      collector.spans().find(({ service, isFailed }) => service === 'search' && isFailed),
    );
    expect(failed.attributes).toMatchObject({ 'sluice.provider': 'hubspot', 'error.type': 'rejected' });
  });
});

describe('what is kept', () => {
  it('of a successful write that is not sampled: nothing; of a failed one: everything known, with its accept backfilled', async () => {
    const well = (await customer.write('contacts', create('well', asynchronous), builderTrace('00').headers)).body;
    await customer.ended(well.operationId);
    await customer.account.fault({ action: { kind: 'status', status: 400, body: { message: canary, category: 'X' } } });
    const { traceId, headers } = builderTrace('00');
    const badly = (await customer.write('contacts', create('badly', asynchronous), headers)).body;
    expect((await customer.ended(badly.operationId)).status).toBe('failure');

    const spans = await spansOf(badly.operationId, 'call.claim');
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const backfilled = only(spans, 'write.accept');
    const run = only(spans, 'call.claim');
    expect(backfilled.attributes['sluice.retold']).toBe(true);
    expect(run.parentSpanId).toBe(backfilled.spanId);
    expect(run.startedAtMs).toBeGreaterThanOrEqual(backfilled.startedAtMs);
    expect(
      [run, only(spans, 'hubspot create')].map(({ isFailed, attributes }) => [isFailed, attributes['error.type']]),
    ).toEqual([
      [true, 'rejected'],
      [true, 'rejected'],
    ]);
    expect(collector.spans().filter((span) => operationOf(span) === well.operationId)).toEqual([]);
  });
});

describe('a log line', () => {
  it('carries the ids of its trace, of the request and of the operation', async () => {
    const { traceId, headers } = builderTrace('00');
    const sent = { ...headers, 'X-Request-Id': 'request-of-the-trace-test' };
    const { operationId } = (await customer.write('contacts', create('logged', asynchronous), sent)).body;
    await customer.ended(operationId);
    const linesOf = (service: string) =>
      (readLog(join(stack.logDir, `${service}.log`)) as unknown as Record<string, unknown>[]).filter(
        (line) => line['trace_id'] === traceId,
      );
    const gateway = linesOf('write-gateway').filter(({ requestId }) => requestId === 'request-of-the-trace-test');
    expect(gateway.map(({ event }) => event)).toEqual(expect.arrayContaining(['write.accepted', 'http.request']));
    expect(gateway.find(({ event }) => event === 'http.request')).toMatchObject({ operationId });
    const executor = linesOf('executor');
    expect(executor.map(({ event }) => event)).toEqual(expect.arrayContaining(['provider.called', 'operation.ended']));
    expect(
      executor.every((line) => line['operationId'] === operationId && /^[0-9a-f]{16}$/.test(String(line['span_id']))),
    ).toBe(true);
  });

  it('says why a synchronous write failed, as of an asynchronous one', async () => {
    await customer.account.fault({ action: { kind: 'status', status: 400, body: { message: canary, category: 'X' } } });
    const reply = await customer.write('contacts', create('refused'));
    expect(reply.status).toBe(422);
    const { operationId } = reply.body;
    const line = await until('the end is logged', async () =>
      (readLog(join(stack.logDir, 'write-gateway.log')) as unknown as Record<string, unknown>[]).find(
        (each) => each['event'] === 'operation.ended' && each['operationId'] === operationId,
      ),
    );
    const why = { provider: 'hubspot', class: 'rejected', answered: 400, requestId: expect.any(String) as string };
    expect(line).toMatchObject({ level: 'info', status: 'failure', groupRef: customer.groupRef, ...why });
  });
});

describe('a collector that', () => {
  const events = (event: string) =>
    readLog(join(stack.logDir, 'write-gateway.log')).filter((line) => line.event === event);

  it.each(['refuses', 'hangs'] as const)('%s costs no write, and one line; so does its return', async (mood) => {
    const [failing, restored] = [events('telemetry.export-failing').length, events('telemetry.export-restored').length];
    collector.become(mood);
    const requests = collector.requests();
    const write = () => customer.write('contacts', create(`${mood}-${(traces += 1)}`), builderTrace('01').headers);
    await until('the gateway reports', async () => {
      expect((await write()).status).toBe(200);
      return events('telemetry.export-failing').length > failing ? true : undefined;
    });
    expect(collector.requests()).toBeGreaterThan(requests);
    collector.become('takes');
    await until('the gateway reports again', async () => {
      expect((await write()).status).toBe(200);
      return events('telemetry.export-restored').length > restored ? true : undefined;
    });
    expect([events('telemetry.export-failing').length, events('telemetry.export-restored').length]).toEqual([
      failing + 1,
      restored + 1,
    ]);
  });
});

/** After everything above: whatever happened, nothing of the customer went out. */
describe('[sec-43] a span', () => {
  it('and a log line: none holds a field value, a token, a key, or a group but where its operation failed', async () => {
    const lost = { groupRef: `group-${canary}`, ...create('nobody') };
    expect((await customer.write('contacts', lost)).status).toBe(404);
    const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
    const lines = services.flatMap((name) => readFileSync(join(stack.logDir, `${name}.log`), 'utf8').split('\n'));
    const secrets = [canary, customer.account.token, customer.project.key];
    expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
    const ofGroup = lines.filter((line) => line.includes(`"${customer.groupRef}"`));
    expect(ofGroup.filter((line) => !line.includes('"event":"operation.ended"'))).toEqual([]);
    expect(ofGroup).not.toEqual([]);
    expect(lines.length).toBeGreaterThan(100);
  });

  it('holds no field value, token, group, consumer or key, and no address', () => {
    const sent = collector.everything();
    expect(sent).toContain('sluice.operation.id');
    const secrets = [
      canary,
      customer.account.token,
      customer.groupRef,
      customer.project.key,
      customer.account.workspaceRef,
    ];
    expect(secrets.filter((secret) => secret !== '' && sent.includes(secret))).toEqual([]);
    expect(sent).not.toMatch(/https?:\/\//);
  });
});

it('a process that is asked to stop sends what is left, before it ends', async () => {
  const { traceId, headers } = builderTrace('01');
  expect((await customer.write('contacts', create('last'), headers)).status).toBe(200);
  await stack.processes.kill('write-gateway', 'SIGTERM');
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining([accept, 'call.perform', 'hubspot create']));
});
