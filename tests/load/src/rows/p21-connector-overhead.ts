import { performance } from 'node:perf_hooks';
import { createConnectors, type Connector, type RecordResult } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { Agent, request } from 'undici';
import { alternate } from '../harness/alternate';
import type { Bench, Row } from '../harness/bench';
import type { Finding } from '../harness/finding';
import { median } from '../harness/statistics';

/** Records of a batch. Source: specification, Limits. */
const batchSize = 100;
/** Goals of the median, in milliseconds. */
const goals = { single: 0.3, batch: 3 };
/** Calls of a round, one after the other: more would measure waiting for a connection. */
const callsOf = { single: 2_000, batch: 200 };
const token = 'bench-overhead';
const fieldsOf = (at: number) => ({
  email: `p21-${at}@example.com`,
  firstname: 'Ana',
  lastname: 'Ruiz',
  phone: '+34 600',
});
const recordIds = Array.from({ length: batchSize }, (_, at) => String(171_590_000_000 + at));

/** One write, by a connector and by a bare call of the same bytes. */
interface Kind {
  readonly what: string;
  readonly size: 'single' | 'batch';
  readonly write: (connector: Required<Connector>) => Promise<RecordResult | RecordResult[]>;
  readonly bare: { readonly method: 'POST' | 'PATCH'; readonly path: string; readonly body: () => unknown };
}

const call = { auth: { accessToken: token }, objectName: 'contacts' };
const objects = '/crm/v3/objects/contacts';

const kinds: readonly Kind[] = [
  {
    what: 'single create',
    size: 'single',
    write: (connector) => connector.create({ ...call, fields: fieldsOf(0) }),
    bare: { method: 'POST', path: objects, body: () => ({ properties: fieldsOf(0) }) },
  },
  {
    what: 'single update',
    size: 'single',
    write: (connector) => connector.update({ ...call, recordId: '171590000000', fields: fieldsOf(0) }),
    bare: { method: 'PATCH', path: `${objects}/171590000000`, body: () => ({ properties: fieldsOf(0) }) },
  },
  {
    what: 'batch create of 100',
    size: 'batch',
    write: (connector) =>
      connector.createBatch({ ...call, records: recordIds.map((_, at) => ({ fields: fieldsOf(at) })) }),
    bare: {
      method: 'POST',
      path: `${objects}/batch/create`,
      body: () => ({
        inputs: recordIds.map((_, at) => ({ properties: fieldsOf(at), objectWriteTraceId: String(at) })),
      }),
    },
  },
  {
    what: 'batch update of 100',
    size: 'batch',
    write: (connector) =>
      connector.updateBatch({
        ...call,
        records: recordIds.map((recordId, at) => ({ recordId, fields: fieldsOf(at) })),
      }),
    bare: {
      method: 'POST',
      path: `${objects}/batch/update`,
      body: () => ({
        inputs: recordIds.map((id, at) => ({ id, properties: fieldsOf(at), objectWriteTraceId: String(at) })),
      }),
    },
  },
];

export const p21: Row = {
  id: 'P21',
  goal: 'what the connector adds to a bare undici call, median',
  async measure(bench) {
    const connectors = createConnectors({
      urls: { hubspot: bench.provider.url, salesforceLogin: bench.provider.url },
      callTimeoutMs: 30_000,
      logger: silentLogger,
      metrics: createMetrics('p21'),
    });
    const agent = new Agent({ pipelining: 1 });
    try {
      const hubspot = connectors.get('hubspot') as Required<Connector>;
      const findings: Finding[] = [];
      for (const kind of kinds) findings.push(await compare(bench, kind, { hubspot, agent }));
      const note =
        'P21: one call at a time over one connection; both sides stringify the body and parse the reply. HubSpot’s connector; Salesforce’s shares the client.';
      return { findings, notes: [note] };
    } finally {
      await Promise.all([connectors.close(), agent.close()]);
    }
  },
};

interface Sides {
  readonly hubspot: Required<Connector>;
  readonly agent: Agent;
}

async function compare(bench: Bench, kind: Kind, { hubspot, agent }: Sides): Promise<Finding> {
  const { what, size, write, bare } = kind;
  const count = bench.isQuick ? 20 : callsOf[size];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' };
  const ours = async (): Promise<void> => {
    const results = [await write(hubspot)].flat();
    if (!results.every(({ ok }) => ok)) throw new Error(`P21: the imitated provider refused a ${what}`);
  };
  const theirs = async (): Promise<void> => {
    const { method, path, body } = bare;
    const sent = { dispatcher: agent, method, headers, body: JSON.stringify(body()) };
    const reply = await request(bench.provider.url + path, sent);
    await reply.body.json();
  };
  const side = (name: string, work: () => Promise<void>) => ({
    name: `${what}, ${name}`,
    measure: () => timed(work, count),
  });
  const rounds = bench.isQuick ? 1 : 5;
  const [mine, other] = await alternate([side('connector', ours), side('undici', theirs)], rounds, bench.say);
  return {
    what: `${what}, added by the connector`,
    unit: 'ms',
    ours: mine.median,
    against: 'undici',
    baseline: other.median,
    judged: mine.median - other.median,
    judgedUnit: 'ms',
    target: { atMost: goals[size] },
    rounds: { ours: mine.figures, baseline: other.figures },
  };
}

/** Median of single calls, in milliseconds, after a tenth of them as a warm-up. */
async function timed(work: () => Promise<void>, count: number): Promise<number> {
  for (let at = 0; at < count / 10; at += 1) await work();
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const startedAtMs = performance.now();
    await work();
    times.push(performance.now() - startedAtMs);
  }
  return median(times);
}
