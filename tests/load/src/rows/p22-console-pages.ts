import { newId } from '@sluice/store';
import { timingBounds } from '@sluice/telemetry';
import { roundsOf } from '../harness/alternate';
import type { Bench, Row } from '../harness/bench';
import { groupOf } from '../harness/customers';
import { withDatabase } from '../harness/database';
import { drained } from '../harness/drain';
import { ownFinding } from '../harness/finding';
import { multiplyCustomers } from '../harness/multiply-customers';
import { startSystem, type System } from '../harness/system';
import { asynchronous, writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

/** Source: goal of the console, "usable under 1 s with 1 M operations and 100 k installations". */
const size = { operations: 1_000_000, customers: 100_000 };
const quickSize = { operations: 300, customers: 30 };
/** A month, evenly; one operation in a hundred failed, and one in ten is of the first customer. */
const spanDays = 30;
const firstShare = 0.1;
const failedShare = 0.01;
const rounds = 7;

export const p22: Row = {
  id: 'P22',
  goal: 'what a page of the console asks for, with 1 M operations and 100,000 installations',
  measure: async (bench) => {
    const { operations, customers } = bench.isQuick ? quickSize : size;
    const options = { services: ['write-gateway', 'executor'] as const, customers: 1 };
    const system = await startSystem(bench.addresses, bench.provider, options);
    try {
      await bench.provider.behave({ latencyMs: 0 });
      const load = { ...writeTarget(system), body: writeBody(asynchronous), connections: 1, count: 1 };
      await bench.load.run(load);
      await withDatabase(system.databaseUrl, drained);
      bench.say(`making ${customers.toLocaleString('en-US')} installations`);
      await multiplyCustomers(system, customers);
      bench.say(`making ${operations.toLocaleString('en-US')} operations`);
      await copyOperations(system, operations);
      await fillMinutes(system);
      const findings = [];
      for (const { page, paths } of await pagesOf(system)) {
        const figures = await timesOf(bench, system, paths);
        const about = { what: `page ${page}`, unit: 'ms', against: 'no baseline', target: { atMost: 1_000 } };
        findings.push(ownFinding(about, roundsOf(figures)));
      }
      const note = `P22: one person, the requests of a page together as the browser sends them, until the last reply is read; median of ${rounds}, the first one among them. ${operations.toLocaleString('en-US')} operations of ${customers.toLocaleString('en-US')} customers within ${spanDays} days, 1 % failed, 10 % of one customer; figures of four processes for each minute of a week, and of ten queues.`;
      return { findings, notes: [note] };
    } finally {
      await system.stop();
    }
  },
};

interface PageRequests {
  readonly page: string;
  /** Below the project. */
  readonly paths: readonly string[];
}

interface Found {
  readonly id: string;
  readonly installation_id: string;
  readonly integration_id: string;
}

/** What the pages of `libs/console/browser/pages` ask for when they are opened. */
async function pagesOf({ databaseUrl, project }: System): Promise<PageRequests[]> {
  const group = groupOf(0);
  const [one, failed] = await withDatabase(databaseUrl, async (database) => {
    const find = (state: string) =>
      database('operations as o')
        .join('installations as n', { 'n.project_id': 'o.project_id', 'n.id': 'o.installation_id' })
        .where({ 'o.project_id': project.id, 'o.state': state, 'n.group_ref': group })
        .orderBy('o.id')
        .first('o.id', 'o.installation_id', 'o.integration_id');
    return [await find('succeeded'), await find('failed')] as Found[];
  });
  const attention = '/lanes?waiting=true&pageSize=100';
  const list = (filter: string): string[] => [`/operations?pageSize=50${filter}`, '/integrations', attention];
  const customers = (filter: string): string[] => [`/group-health?${filter}`, '/integrations'];
  const prefix = group.slice(0, -2);
  const detail = (id?: string): string[] =>
    ['', '/progress', '/records?pageSize=100', '/logs'].map((part) => `/operations/${id}${part}`);
  const customer = (id?: string): string[] => {
    const path = `/integrations/${one?.integration_id}/installations/${id}`;
    const operations = `/operations?installationId=${id}&pageSize=10`;
    return [
      `/installation-health?installationId=${id}`,
      path,
      operations,
      `/group-health?groupRef=${group}`,
      `${path}/configs?pageSize=21`,
    ];
  };
  return [
    { page: 'overview, an hour', paths: ['/overview?span=hour', attention, '/webhook-endpoints'] },
    { page: 'overview, a week', paths: ['/overview?span=week', attention, '/webhook-endpoints'] },
    { page: 'operations', paths: list('&counts=true') },
    { page: 'operations, failed', paths: list('&counts=true&status=failure') },
    { page: 'operations, with failures', paths: list('&counts=true&hasFailures=true') },
    { page: 'operations of a customer', paths: list(`&counts=true&groupRef=${group}`) },
    { page: 'operations of customers by prefix', paths: list(`&search=${prefix}`) },
    { page: 'operations by reference of a record', paths: list('&search=nobody') },
    { page: 'an operation', paths: detail(one?.id) },
    // Its reader asks why.
    { page: 'a failed operation', paths: [...detail(failed?.id), `/operations/${failed?.id}/explanation`] },
    { page: 'customers', paths: customers('') },
    { page: 'customers, refused credentials', paths: customers('state=bad_credentials') },
    { page: 'customers by prefix', paths: customers(`search=${prefix}`) },
    { page: 'a customer', paths: customer(one?.installation_id) },
    { page: 'lanes', paths: ['/lanes?pageSize=50&waiting=false&order=sick-first', attention] },
  ];
}

async function timesOf(bench: Bench, system: System, paths: readonly string[]): Promise<number[]> {
  const { url } = system.service('management');
  const figures: number[] = [];
  for (let round = 0; round < (bench.isQuick ? 1 : rounds); round += 1) {
    const startedAtMs = performance.now();
    await Promise.all(paths.map((path) => read(`${url}/v1/projects/${system.project.id}${path}`, system.project.key)));
    figures.push(performance.now() - startedAtMs);
  }
  return figures;
}

/** @throws for a refusal: a page that says why it is empty is no page */
async function read(url: string, key: string): Promise<void> {
  const reply = await fetch(url, { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(60_000) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} replied ${reply.status}: ${text}`);
}

/**
 * Copies the only operation, with its call, record, outcome and attempt, for all customers in turns. Ids are made as `newId` makes them for the
 * moment of acceptance, because lists are in the order of ids.
 */
async function copyOperations({ databaseUrl, project }: System, operations: number): Promise<void> {
  const bindings = {
    projectId: project.id,
    operations,
    spanDays,
    failedEvery: 1 / failedShare,
    firstEvery: 1 / firstShare,
    tail: newId().slice(24),
  };
  await withDatabase(databaseUrl, async (database) => {
    await database.raw(
      `create table copies as
       with customer as materialized (
         select row_number() over (order by id) - 1 as n, id, config_id, connection_id from installations where project_id = :projectId),
       given as (select n, now() - make_interval(secs => :spanDays * 86400.0 * n / :operations) as at from generate_series(1, :operations::integer) n)
       select g.n, g.at, g.n % :failedEvery = 0 as is_failed, c.id as installation_id, c.config_id, c.connection_id, k.lane_id,
         regexp_replace(lpad(to_hex((extract(epoch from g.at) * 1000)::bigint), 12, '0'), '^(.{8})', '\\1-')
           || '-7' || lpad(to_hex(g.n % 4096), 3, '0') || '-8' || lpad(to_hex(g.n / 4096), 3, '0') || '-' || :tail as id
       from given g join customer c on c.n = case when g.n % :firstEvery = 1 then 0 else g.n % (select count(*) from customer) end
       join connections k on k.project_id = :projectId and k.id = c.connection_id`,
      bindings,
    );
    for (const { table, key, members } of copied) {
      const given = Object.entries({ [key]: 'c.id', ...members }).map(([name, value]) => `'${name}', ${value}`);
      await database.raw(
        `insert into ${table} select f.* from copies c
         cross join (select t as only from ${table} t where t.project_id = :projectId limit 1) o
         cross join lateral jsonb_populate_record(o.only, jsonb_build_object(${given.join(', ')})) f`,
        bindings,
      );
    }
    await database.raw('drop table copies');
    await database.raw(`vacuum (analyze) ${copied.map(({ table }) => table).join(', ')}`);
  });
}

const weekMinutes = 7 * 24 * 60;

/** A week of what the overview draws. */
async function fillMinutes({ databaseUrl, project }: System): Promise<void> {
  const minutes = `generate_series(date_trunc('minute', now()) - make_interval(mins => ${weekMinutes}), now() - interval '2 minutes', interval '1 minute') as minute`;
  const buckets = `array_fill(1, array[${timingBounds.length + 1}])`;
  await withDatabase(databaseUrl, async (database) => {
    await database.raw(
      `insert into minutes (project_id, minute, process, provider, accepted, written, failed, unknown, retried, provider_errors, blocks,
         blocked_ms, accept_counts, provider_call_counts)
       select ?, minute, 'gateway/' || p, 'hubspot', 100, 90, 5, 0, 5, 5, 1, 1000, ${buckets}, ${buckets}
       from ${minutes}, generate_series(1, 4) p on conflict do nothing`,
      [project.id],
    );
    await database.raw(
      `insert into backlog_minutes (project_id, minute, lane_id, waiting)
       select l.project_id, minute, l.id, 100 from ${minutes}, (select project_id, id from lanes where project_id = ? order by id limit 10) l
       on conflict do nothing`,
      [project.id],
    );
    await database.raw(
      `insert into process_minutes (minute, process, service, version)
       select minute, 'gateway/' || p, 'write-gateway', '0.1.0' from ${minutes}, generate_series(1, 4) p on conflict do nothing`,
    );
    await database.raw('vacuum (analyze) minutes, backlog_minutes, process_minutes');
  });
}

const whenFailed = (value: string): string => `case when c.is_failed then ${value} end`;

interface Copied {
  readonly table: string;
  /** Column of the operation's id. */
  readonly key: string;
  /** SQL of the other columns that differ. */
  readonly members: Readonly<Record<string, string>>;
}

const copied: readonly Copied[] = [
  {
    table: 'operations',
    key: 'id',
    members: {
      installation_id: 'c.installation_id',
      config_id: 'c.config_id',
      connection_id: 'c.connection_id',
      lane_id: 'c.lane_id',
      state: `case when c.is_failed then 'failed' else 'succeeded' end`,
      records_succeeded: '1 - c.is_failed::integer',
      records_failed: 'c.is_failed::integer',
      created_at: 'c.at',
      updated_at: 'c.at',
      failed_at: whenFailed('c.at'),
    },
  },
  {
    table: 'calls',
    key: 'operation_id',
    members: { lane_id: 'c.lane_id', connection_id: 'c.connection_id', created_at: 'c.at', base_at: 'c.at' },
  },
  { table: 'records', key: 'operation_id', members: { config_id: 'c.config_id', accepted_at: 'c.at' } },
  { table: 'attempts', key: 'operation_id', members: { sent_at: 'c.at', finished_at: 'c.at' } },
  {
    table: 'outcomes',
    key: 'operation_id',
    members: {
      outcome: `case when c.is_failed then 'failed' else 'succeeded' end`,
      provider_ids: `case when c.is_failed then null else array[c.n::text] end`,
      error_classes: whenFailed(`array['validation']`),
      error_texts: whenFailed(`array['Property values were not valid.']`),
      lane_id: `case when c.is_failed then null else c.lane_id end`,
      object_name: `case when c.is_failed then null else 'contacts' end`,
      ended_at: 'c.at',
    },
  },
];
