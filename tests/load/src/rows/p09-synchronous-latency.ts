import { alternate } from '../harness/alternate';
import { pace, type Bench, type Row } from '../harness/bench';
import { groupOf } from '../harness/customers';
import type { Finding } from '../harness/finding';
import { mark, type LoadSpec } from '../harness/generate-load';
import { median } from '../harness/statistics';
import type { System } from '../harness/system';
import { writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

/** Source: goal P9. */
const providerMs = 20;
/** Callers at once: as many as the floor was measured with. */
const connections = 16;
/**
 * HubSpot takes 5 searches in a second of an account, and what is over that would wait: of 16 callers at 20 ms each gets 4.2. No more than
 * have their fields remembered: a search of one that has not asks for them first.
 */
const customers = 190;
/** Searches of a warm-up for each customer, which takes ten seconds: they stay below that limit. */
const warmUpSearches = 40;

export const p09: Row = {
  id: 'P9',
  goal: 'what a synchronous write and a search add to the provider call, provider at 20 ms',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway', 'search'], customers }, async (system) => {
      const { count, durationMs } = pace(bench).warmUp;
      const [write, search] = [writeLoad(system), searchLoad(system)];
      // While the provider answers at once: at 20 ms ten seconds are too few requests for compiled code, which is what runs in production.
      await bench.load.run({ ...write, count, durationMs });
      await bench.load.run({ ...search, count: Math.min(count, warmUpSearches * customers), durationMs });
      await bench.provider.behave({ latencyMs: providerMs });
      try {
        const findings = [
          ...(await compare(bench, 'synchronous write', write, directLoad(bench, 'contacts'))),
          ...(await compare(bench, 'search', search, directLoad(bench, 'contacts/search'))),
        ];
        const note = `P9: ${connections} callers; both sides by the same load generator, straight to the imitated provider or through us.`;
        return { findings, notes: [note] };
      } finally {
        await bench.provider.behave({});
      }
    }),
};

function writeLoad(system: System): LoadSpec {
  return { ...writeTarget(system), body: writeBody({}), groups: system.project.customers, connections };
}

function searchLoad({ project, service }: System): LoadSpec {
  const path = `/v1/projects/${project.id}/integrations/${project.integrationId}`;
  const fieldFilters = [{ fieldName: 'email', operator: 'eq', value: `bench-${mark}@example.com` }];
  return {
    url: service('search').url,
    paths: Array.from({ length: project.customers }, (_, customer) => `${path}?groupRef=${groupOf(customer)}`),
    headers: { 'x-api-key': project.key },
    body: JSON.stringify({ objectName: 'contacts', fieldFilters }),
    connections,
  };
}

function directLoad({ provider }: Bench, path: string): LoadSpec {
  const headers = { authorization: 'Bearer bench-direct' };
  return { url: `${provider.url}/crm/v3/objects/${path}`, headers, body: writeBody({}), connections };
}

async function compare(bench: Bench, what: string, ours: LoadSpec, theirs: LoadSpec): Promise<Finding[]> {
  const { rounds, roundMs } = pace(bench);
  const p99s = { ours: [] as number[], direct: [] as number[] };
  const side = (name: 'ours' | 'direct', spec: LoadSpec) => ({
    name: `${what} ${name}`,
    measure: async () => {
      const result = await bench.load.run({ ...spec, durationMs: Math.round(roundMs * 0.6) });
      p99s[name].push(result.p99Ms);
      return result.p50Ms;
    },
  });
  const [mine, other] = await alternate([side('ours', ours), side('direct', theirs)], rounds, bench.say);
  const p50 = { ours: mine?.median ?? NaN, baseline: other?.median ?? NaN };
  const p99 = { ours: median(p99s.ours), baseline: median(p99s.direct) };
  const shared = { unit: 'ms', against: 'the call itself' };
  return [
    {
      ...shared,
      ...p50,
      what: `${what}, p50 added`,
      judged: p50.ours - p50.baseline,
      judgedUnit: 'ms',
      target: { atMost: 1.5 },
    },
    {
      ...shared,
      ...p99,
      what: `${what}, p99 added`,
      judged: p99.ours - p99.baseline,
      judgedUnit: 'ms',
      target: { atMost: 5 },
    },
    {
      ...shared,
      ...p50,
      what: `${what}, p50 as a ratio`,
      judged: p50.ours / p50.baseline,
      judgedUnit: '×',
      target: { atMost: 1.1 },
    },
  ];
}
