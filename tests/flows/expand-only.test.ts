import { migrations, openDatabase } from '@sluice/store';
import { createEmptyDatabase } from '@sluice/testkit';

/** What takes something away from code that was written for the schema before: it runs on while a new version rolls out. */
const takesAway =
  /\bdrop (table|column|view|sequence|type|schema|function|default)\b|\brename (to|column|constraint)\b|\bset not null\b|\balter column \S+ (set data )?type\b|\btruncate\b|\bdelete from\b|\bunique\b|\badd (constraint|check|primary|foreign)\b/i;

/** A new function has no old users, and its body is not run. */
const newFunction = /\bcreate function\b[^;$]*\$\$.*?\$\$/gi;

/** Clauses of a migration that take something away. Tables that it makes itself have no old users. */
function contractions(sql: string): string[] {
  const clauses = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').replaceAll(newFunction, '').split(';');
  const made = clauses.flatMap((clause) => /\bcreate table "?(\w+)/i.exec(clause)?.[1] ?? []);
  return clauses.filter((clause) => {
    const table = /\b(?:table|on) (?:only )?"?(\w+)/i.exec(clause)?.[1] ?? '';
    return !made.includes(table) && (takesAway.test(clause) || addsRequired(clause));
  });
}

/** Columns are divided by commas outside of parentheses. */
function addsRequired(clause: string): boolean {
  const added = clause.split(/,(?![^(]*\))/).filter((part) => /\badd (column )?/i.test(part));
  return added.some((part) => /\bnot null\b/i.test(part) && !/\bdefault\b|\bgenerated\b/i.test(part));
}

// docs/guides/operate.md, "Upgrade": pods of the version before run on a schema that is newer, so a release only adds to it.
it('each migration after the baseline only adds, but for those that say so in their name', async () => {
  const empty = await createEmptyDatabase();
  const database = openDatabase({ url: empty.url, poolMax: 1, applicationName: 'expand-only' });
  const found: Record<string, string[]> = {};
  let statements: string[] = [];
  database.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  try {
    for (const { name, up } of migrations) {
      statements = [];
      await up(database);
      expect(statements).not.toEqual([]);
      found[name] = contractions(statements.join(';'));
    }
  } finally {
    await database.destroy();
    await empty.drop();
  }
  const named = Object.entries(found).filter(([name]) => !name.includes('-contract-'));
  expect(named.filter(([, taken]) => taken.length > 0)).toEqual([]);
});

it.each([
  'drop table records',
  'alter table records drop column plan',
  'alter table records rename column plan to text',
  'alter table records rename to lines',
  'alter table records alter column plan type jsonb',
  'alter table records alter column plan set not null',
  'alter table records alter column plan drop default',
  'alter table "records" add column "region" text not null',
  'create table x (id text); alter table records add column a text default 1, add column b text not null',
  'create unique index x on records (ref)',
  'alter table records add constraint x check (ref is not null)',
  'create index y on records (ref); delete from records',
  'do $$ begin delete from records; end $$',
  'create function f() returns void language sql as $$ select 1 $$; delete from records',
])('takes away: %s', (sql) => expect(contractions(sql)).toHaveLength(1));

it.each([
  'create table x (id text not null); create unique index y on x (id)',
  'alter table records add column a text',
  'alter table records add column a numeric(3, 1) not null default 1',
  'drop index y; create index y on records (ref)',
  '-- drop table records\nselect 1',
  'create function f() returns void language sql as $$ delete from records; $$; alter table records add column a text',
  'alter table records set (autovacuum_vacuum_scale_factor = 0.01)',
])('only adds: %s', (sql) => expect(contractions(sql)).toEqual([]));
