import { DependencyError } from '@sluice/errors';
import type { Knex } from 'knex';
import { findServices } from './database';
import { baseline } from './migrations';

/*
 * A database of 0.2.0 has the schema of the baseline already. Taking it over replaces the names of the steps that led there by the baseline's, and
 * changes nothing else. From then on services of 0.2 refuse it, as they refuse a new database.
 */

/** What 0.2.0 noted after the last of its 11 steps. */
const lastStepOf02 = '20261128T030000-adopted-among-keeps-its-plan';

/** Names of the steps that a database has noted. */
export async function findApplied(database: Knex): Promise<ReadonlySet<string>> {
  const exists = await database.schema.hasTable('knex_migrations');
  return new Set<string>(exists ? await database('knex_migrations').pluck('name') : []);
}

/**
 * Refuses a database that a version before the baseline has made.
 * @throws DependencyError with the way to this version
 */
export async function refuseOlder(database: Knex): Promise<void> {
  const applied = await findApplied(database);
  if (applied.has(baseline.name)) return;
  if (applied.has(lastStepOf02)) {
    throw new DependencyError({
      code: 'service.unmigrated',
      detail: 'The database is one of Sluice 0.2.0, which this version takes over only when it is told to.',
      remedy: `Stop all services, back up, then run: npm run migrate -- --from-0.2 (chart: migrate.from02=true; ${guide})`,
    });
  }
  if (applied.size === 0 && !(await database.schema.hasTable('projects'))) return;
  throw new DependencyError({
    code: 'service.unmigrated',
    detail: 'The database was made by a version before 0.2.0, whose steps this version does not have.',
    remedy: `Bring it to 0.2.0 with that version (its npm run migrate), then to this one with --from-0.2 (${guide}); or begin with an empty database.`,
  });
}

const guide = 'docs/guides/operate.md, "Upgrade"';

/**
 * Notes the baseline in a database of 0.2.0, within the transaction that is given. Any other database is left as it is.
 * @returns what was done, for a report; nothing when there is nothing to take over
 * @throws DependencyError while services are connected, naming them, and for a schema that is not that of 0.2.0, naming each difference
 */
export async function takeOver(transaction: Knex.Transaction): Promise<string[]> {
  const applied = await findApplied(transaction);
  if (applied.has(baseline.name) || !applied.has(lastStepOf02)) return [];
  const running = await findServices(transaction);
  if (running.length > 0) {
    throw new DependencyError({
      code: 'service.unavailable',
      detail: `A database of 0.2.0 is taken over while no service is connected, and these are: ${running.join(', ')}.`,
      remedy: 'Stop all services, run the same command again, then start those of this version.',
    });
  }
  const differences = await compareWithBaseline(transaction);
  if (differences.length > 0) {
    throw new DependencyError({
      code: 'service.unmigrated',
      detail: [`The schema is not that of 0.2.0, and was left as it is:`, ...differences].join('\n  '),
      remedy: 'Make each of these what 0.2.0 has, then run the same command again.',
    });
  }
  await transaction('knex_migrations').delete();
  await transaction('knex_migrations').insert({ name: baseline.name, batch: 1, migration_time: transaction.fn.now() });
  return [`${baseline.name} (taken over from 0.2.0)`];
}

/** The baseline is made a second time, as temporary objects, so that the server itself writes both definitions, in the words of its version. */
async function compareWithBaseline(transaction: Knex.Transaction): Promise<string[]> {
  // Before there are temporary objects: they would hide those of the same name.
  const found = await readCatalogue(transaction);
  await transaction.raw('savepoint comparison');
  await transaction.raw('set local search_path = pg_temp');
  await baseline.up(transaction);
  const expected = await readCatalogue(transaction);
  await transaction.raw('rollback to savepoint comparison');
  const objects = [...new Set([...expected.keys(), ...found.keys()])].toSorted((a, b) => a.localeCompare(b));
  return objects.flatMap((object) => {
    const [is, was] = [found.get(object), expected.get(object)];
    if (is === was) return [];
    if (is === undefined) return [`${object} is missing; 0.2.0 has: ${was}`];
    return [was === undefined ? `${object} is not in 0.2.0` : `${object} is: ${is}; 0.2.0 has: ${was}`];
  });
}

async function readCatalogue(transaction: Knex.Transaction): Promise<ReadonlyMap<string, string>> {
  const { rows } = await transaction.raw<{ rows: { object: string; definition: string }[] }>(catalogueSql);
  return new Map(rows.map(({ object, definition }) => [object, definition.trim()]));
}

/**
 * Every object of the current schema with its definition, but for owners, rights and comments, what belongs to an extension, and the table of the steps.
 * Constraints "not null" are shown with their columns: since Postgres 18 they have names, which depend on how the column was made.
 * Source: https://www.postgresql.org/docs/18/catalogs.html
 */
const catalogueSql = `
  with of_extensions as (select classid, objid from pg_depend where deptype = 'e'),
  relations as (
    select * from pg_class
    where relnamespace = current_schema()::regnamespace and relname !~ '^knex_migrations'
      and ('pg_class'::regclass, oid) not in (select classid, objid from of_extensions)
  ),
  columns as (
    select t.relname, a.attname, a.attnum,
           format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
           || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid, true), '')
           || coalesce(' collate ' || nullif(a.attcollation, y.typcollation)::regcollation::text, '')
           || rtrim(concat(' ', a.attidentity, a.attgenerated)) as definition
    from relations t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where t.relkind in ('r', 'p', 'f')
  )
  select 'table ' || relname as object,
         '(' || (select string_agg(attname, ', ' order by attnum) from columns c where c.relname = t.relname) || ')'
         || coalesce(' with ' || (select string_agg(o, ', ' order by o) from unnest(reloptions) o), '')
         || case when relrowsecurity then ' with row security' else '' end as definition
  from relations t where relkind in ('r', 'p', 'f')
  union all select 'column ' || relname || '.' || attname, definition from columns
  union all select 'view ' || relname, pg_get_viewdef(oid, true) from relations where relkind in ('v', 'm')
  union all select 'index ' || relname, pg_get_indexdef(indexrelid, 0, true) || case when indisvalid then '' else ' (invalid)' end
    from relations r join pg_index i on i.indexrelid = r.oid
  union all select 'sequence ' || relname,
      format('%s start %s increment %s from %s to %s cache %s cycle %s', seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle)
    from relations r join pg_sequence s on s.seqrelid = r.oid
  union all select 'constraint ' || conname || ' of ' || relname, pg_get_constraintdef(c.oid, true)
    from relations r join pg_constraint c on c.conrelid = r.oid where contype <> 'n'
  union all select 'trigger ' || tgname || ' of ' || relname, concat(pg_get_triggerdef(t.oid, true), ' ', tgenabled)
    from relations r join pg_trigger t on t.tgrelid = r.oid where not tgisinternal
  union all select 'rule ' || rulename || ' of ' || relname, pg_get_ruledef(u.oid, true)
    from relations r join pg_rewrite u on u.ev_class = r.oid where rulename <> '_RETURN'
  union all select 'policy ' || polname || ' of ' || relname, '' from relations r join pg_policy p on p.polrelid = r.oid
  union all select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ')',
      case when prokind = 'a' then 'aggregate' else regexp_replace(pg_get_functiondef(oid), '[^ ]+[.]', '') end
    from pg_proc where pronamespace = current_schema()::regnamespace
      and ('pg_proc'::regclass, oid) not in (select classid, objid from of_extensions)
  union all select 'type ' || typname, typtype::text
    from pg_type where typnamespace = current_schema()::regnamespace and typtype in ('d', 'e', 'r')
      and ('pg_type'::regclass, oid) not in (select classid, objid from of_extensions)`;
