import { DefectError, DependencyError } from '@sluice/errors';
import { types } from 'pg';

/*
 * What our statements and the driver take for granted of a session. A role, a database or a server may set each of these otherwise, so every new connection is
 * brought to what we need.
 */

/**
 * What keeps a setting behind a pooler in transaction mode, where the next transaction may meet another server connection. `carried`: PgBouncer repeats it there.
 * `role`: nothing, so the server must begin with it. `wish`: nothing breaks without it.
 * Source: https://www.pgbouncer.org/config.html#track_extra_parameters
 */
type Keeper = 'carried' | 'role' | 'wish';

/** Setting, value, and a regular expression of the values that will do as well. */
const settings: readonly (readonly [name: string, value: string, enough: string, keeper: Keeper])[] = [
  // The driver reads moments in this form alone; in another it returns null, or the wrong day.
  ['DateStyle', 'ISO, MDY', '^ISO, MDY$', 'carried'],
  ['TimeZone', 'UTC', '^(Etc/)?UTC$', 'carried'],
  ['standard_conforming_strings', 'on', '^on$', 'carried'],
  ['IntervalStyle', 'postgres', '^postgres$', 'wish'],
  ['bytea_output', 'hex', '^hex$', 'wish'],
  // Below 1 a number is rounded on its way to us.
  ['extra_float_digits', '1', '^[1-3]$', 'role'],
  // Off, the NULL in an array that we send is a text.
  ['array_nulls', 'on', '^on$', 'role'],
  ['transform_null_equals', 'off', '^off$', 'role'],
  // Claims and joins read what was committed meanwhile; above this level they would fail instead.
  ['default_transaction_isolation', 'read committed', '^read committed$', 'role'],
  // What is answered with 200 is on a disk. How many standbys have it too is the operator's choice.
  ['synchronous_commit', 'on', '^(on|local|remote_write|remote_apply)$', 'role'],
  /*
   * The server would compile what it estimates to be long: statements of many steps that find few rows, above all those of the purge and of the repairs. Compiling
   * takes longer than running them (87 ms to find nothing), and leaves 11 MB in that connection (measured with Postgres 15 under 200 writes a second).
   * Source: https://www.postgresql.org/docs/18/jit-decision.html
   */
  ['jit', 'off', '^off$', 'wish'],
];

const listed = settings.map((row) => `(${row.map((text) => `'${text}'`).join(', ')})`).join(', ');

/** Sets what differs. The rows are the settings that this session, or the next one of the same role, begins with otherwise. */
export const sessionSql = `
  select s.name, v.value, v.keeper, s.reset_val, pg_backend_pid() as pid, set_config(s.name, v.value, false)
  from pg_settings s join (values ${listed}) v(name, value, enough, keeper) on v.name = s.name
  where s.setting !~ v.enough or s.reset_val !~ v.enough`;

export interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly keeper: Keeper;
  readonly reset_val: string;
  readonly pid: number;
}

/**
 * What a pooler would lose. Its reply to a new client names a process that is not the server's, which a direct connection never does.
 * @param pid the process that the other end called itself when it took the connection
 */
export function lostInPooler(rows: readonly SettingRow[], pid: number | null): DependencyError | undefined {
  const lost = rows.find(({ keeper, pid: served }) => keeper === 'role' && served !== pid);
  if (lost === undefined) return undefined;
  const { name, value, reset_val: found } = lost;
  return new DependencyError({
    code: 'service.unavailable',
    detail: `Sessions of the database begin with ${name} = '${found}', and a pooler in between loses the '${value}' that Sluice sets.`,
    remedy: `Run for the role of DATABASE_URL: alter role … set ${name} = '${value}'; then reconnect the pooler (docs/guides/pgbouncer.md).`,
  });
}

const { TIMESTAMPTZ, TIMESTAMP, DATE } = types.builtins;
type TypeId = Parameters<typeof types.getTypeParser>[0];
const momentTypes: readonly number[] = [TIMESTAMPTZ, TIMESTAMP, DATE];

/** The driver's own readers, but that a moment which cannot be read is no null: a null would be left out of what is shown. */
export const readers = {
  getTypeParser: (type: TypeId, format = 'text'): ((text: string) => unknown) => {
    const read = types.getTypeParser(type, format as 'text') as (text: string) => unknown;
    return momentTypes.includes(type) ? (text) => read(text) ?? refuseMoment() : read;
  },
};

function refuseMoment(): never {
  throw new DefectError({
    code: 'service.defect',
    detail: 'The database sent a moment in a form that cannot be read.',
    remedy: `A pooler changed DateStyle: alter role … set datestyle = 'ISO, MDY' (docs/guides/pgbouncer.md).`,
  });
}
