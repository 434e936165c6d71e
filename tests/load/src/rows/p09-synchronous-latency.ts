import { alternate, roundsOf, type Rounds } from '../harness/alternate';
import { pace, type Bench, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { groupOf } from '../harness/customers';
import { withEmptyDatabase } from '../harness/empty-database';
import { ratioFinding, type Finding, type Target } from '../harness/finding';
import { mark, type LoadSpec } from '../harness/generate-load';
import type { System } from '../harness/system';
import { writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

/** Source: goal P9. */
const providerMs = 20;
const writesPerSecond = 200;
const searchesPerSecond = 400;
/** Enough that a request which is due finds one free. */
const openConnections = 64;
/** Of the closed loop, which shows what callers that wait for each other's statements meet. */
const closedConnections = 16;
/**
 * HubSpot takes 5 searches in a second of an account, and what is over that would wait: at 400 a second each gets 2.1. No more than
 * have their fields remembered: a search of one that has not asks for them first.
 */
const customers = 190;
/** Of a warm-up, for each customer: 160 searches in forty seconds stay below that limit. */
const [warmUpSearches, warmUpSearchesPerSecond] = [160, 4];

export const p09: Row = {
  id: 'P9',
  goal: 'what a synchronous write and a search add to the provider call, provider at 20 ms',
  measure: (bench) =>
    withEmptyDatabase((databaseUrl) =>
      bench.withSystem({ services: ['write-gateway', 'search'], customers }, async (system) => {
        const durable = await startChild('baselines/passthrough', { providerUrl: bench.provider.url, databaseUrl });
        const { port } = durable.ready as { port: number };
        const loads = loadsOf(bench, system, `http://127.0.0.1:${port}`);
        try {
          await warmUp(bench, loads);
          await bench.provider.behave({ latencyMs: providerMs });
          const findings = [
            await oneCaller(bench, loads),
            ...(await writesInOpenLoop(bench, loads)),
            ...(await searchesInOpenLoop(bench, loads)),
            await closedLoop(bench, 'synchronous write', loads.write, loads.directWrite),
            await closedLoop(bench, 'search', loads.search, loads.directSearch),
          ];
          return { findings, notes: [note] };
        } finally {
          await bench.provider.behave({});
          await durable.kill();
        }
      }),
    ),
};

const note = `P9: both sides by the same load generator, straight to the imitated provider or through us. Open loop: arrivals at random (exponential gaps), ${writesPerSecond} writes/s or ${searchesPerSecond} searches/s; one caller and ${closedConnections} callers: each sends when it has its reply. The baseline of the writes in open loop is a pass-through that commits a row before the call and its reply after it: the ratio is of what each adds to the call itself.`;

type Loads = ReturnType<typeof loadsOf>;

function loadsOf(bench: Bench, system: System, durableUrl: string) {
  const headers = { authorization: 'Bearer bench-direct' };
  const direct = (path: string, url = bench.provider.url) => ({
    url: `${url}/crm/v3/objects/${path}`,
    headers,
    body: writeBody({}),
  });
  return {
    write: { ...writeTarget(system), body: writeBody({}), groups: system.project.customers },
    durableWrite: direct('contacts', durableUrl),
    directWrite: direct('contacts'),
    search: searchLoad(system),
    directSearch: direct('contacts/search'),
  };
}

function searchLoad({ project, service }: System) {
  const path = `/v1/projects/${project.id}/integrations/${project.integrationId}`;
  const fieldFilters = [{ fieldName: 'email', operator: 'eq', value: `bench-${mark}@example.com` }];
  return {
    url: service('search').url,
    paths: Array.from({ length: project.customers }, (_, customer) => `${path}?groupRef=${groupOf(customer)}`),
    headers: { 'x-api-key': project.key },
    body: JSON.stringify({ objectName: 'contacts', fieldFilters }),
  };
}

type Load = Omit<LoadSpec, 'connections'>;

/** While the provider answers at once: at 20 ms forty seconds are too few requests for compiled code, which is what runs in production. */
async function warmUp(bench: Bench, loads: Loads): Promise<void> {
  const { count, durationMs } = pace(bench).warmUp;
  const connections = closedConnections;
  await bench.load.run({ ...loads.write, connections, count, durationMs });
  await bench.load.run({ ...loads.durableWrite, connections, count, durationMs });
  const searches = Math.min(count, warmUpSearches * customers);
  const perSecond = warmUpSearchesPerSecond * customers;
  await bench.load.run({ ...loads.search, connections, perSecond, count: searches, durationMs });
}

/** Replies of one side in milliseconds, round by round. */
interface Latencies {
  readonly p50: Rounds;
  readonly p99: Rounds;
}

/** The sides in turns, each at the same pace. */
async function latencies<const Names extends readonly string[]>(
  bench: Bench,
  names: Names,
  specs: { readonly [Index in keyof Names]: LoadSpec },
): Promise<{ [Index in keyof Names]: Latencies }> {
  const { rounds, roundMs } = pace(bench);
  const p99s = names.map((): number[] => []);
  const sides = names.map((name, index) => ({
    name,
    measure: async () => {
      const { p50Ms, p99Ms } = await bench.load.run({ ...(specs[index] as LoadSpec), durationMs: roundMs });
      p99s[index]?.push(p99Ms);
      return p50Ms;
    },
  }));
  const p50s = await alternate(sides, rounds, bench.say);
  return p50s.map((p50, index) => ({ p50, p99: roundsOf(p99s[index] ?? []) })) as { [Index in keyof Names]: Latencies };
}

async function oneCaller(bench: Bench, { write, directWrite }: Loads): Promise<Finding> {
  const [ours, direct] = await latencies(
    bench,
    ['write, one caller', 'the call itself'],
    [
      { ...write, connections: 1 },
      { ...directWrite, connections: 1 },
    ],
  );
  return added('synchronous write, one caller, p50 added', ours.p50, direct.p50, { atMost: 3 });
}

async function writesInOpenLoop(bench: Bench, { write, durableWrite, directWrite }: Loads): Promise<Finding[]> {
  const open = { perSecond: writesPerSecond, arrivals: 'random', connections: openConnections } as const;
  const [ours, durable, direct] = await latencies(
    bench,
    ['write', 'durable pass-through', 'the call itself'],
    [
      { ...write, ...open },
      { ...durableWrite, ...open },
      { ...directWrite, ...open },
    ],
  );
  const against = 'pass-through with a committed row before the call and its reply after it';
  const ratio = (share: 'p50' | 'p99', atMost: number): Finding =>
    ratioFinding({
      what: `synchronous write at ${writesPerSecond}/s, ${share} added`,
      unit: 'ms',
      against,
      ours: ours[share].median - direct[share].median,
      baseline: durable[share].median - direct[share].median,
      target: { atMost },
    });
  return [ratio('p50', 1.5), ratio('p99', 2)];
}

async function searchesInOpenLoop(bench: Bench, { search, directSearch }: Loads): Promise<Finding[]> {
  const open = { perSecond: searchesPerSecond, arrivals: 'random', connections: openConnections } as const;
  const [ours, direct] = await latencies(
    bench,
    ['search', 'the call itself'],
    [
      { ...search, ...open },
      { ...directSearch, ...open },
    ],
  );
  const what = `search at ${searchesPerSecond}/s`;
  return [
    added(`${what}, p50 added`, ours.p50, direct.p50, { atMost: 1.5 }),
    added(`${what}, p99 added`, ours.p99, direct.p99, { atMost: 4 }),
  ];
}

/** Without a target: callers that send together, because they waited for the same statement, queue for a core. */
async function closedLoop(bench: Bench, what: string, ours: Load, theirs: Load): Promise<Finding> {
  const connections = closedConnections;
  const sides = [
    { ...ours, connections },
    { ...theirs, connections },
  ] as const;
  const [mine, direct] = await latencies(bench, [`${what}, ${connections} callers`, 'the call itself'], sides);
  return added(`${what}, ${connections} callers, p50 added`, mine.p50, direct.p50);
}

function added(what: string, ours: Rounds, direct: Rounds, target?: Target): Finding {
  return {
    what,
    unit: 'ms',
    ours: ours.median,
    against: 'the call itself',
    baseline: direct.median,
    judged: ours.median - direct.median,
    judgedUnit: 'ms',
    target,
    rounds: { ours: ours.figures, baseline: direct.figures },
  };
}
