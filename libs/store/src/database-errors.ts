import { DefectError, DependencyError, SluiceError } from '@sluice/errors';

/*
 * The edge at which errors of knex, pg and the socket become ours: every method of the store throws only `SluiceError`s.
 * SQLSTATE classes: https://www.postgresql.org/docs/18/errcodes-appendix.html
 */

/** SQLSTATE of a driver error, or the Node code of a socket error. Undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Whether the server answered with an error of its own, so that nothing of the statement was applied. */
export function isRefusedByServer(error: unknown): boolean {
  const code = errorCode(error);
  // 57P01-57P03: the server goes away; 08xxx: the connection is gone. Both leave a COMMIT's outcome open.
  // EPIPE is as long, but the system's: no class of SQLSTATE begins with E.
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(57P|08|E)/.test(code);
}

/** Whether no connection was to be had, so that the statement never left. */
export function neverReached(error: unknown): boolean {
  const { name, message } = error as Error;
  // knex gave up waiting for its pool; pg gave up connecting.
  if (name === 'KnexTimeoutError' || /timeout exceeded when trying to connect|connection timeout/i.test(message))
    return true;
  return ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'].includes(errorCode(error) ?? '');
}

/** read_only_sql_transaction: a standby, or a server, database or role whose transactions are read-only. */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === '25006';
}

/** unique_violation. */
export function isDuplicate(error: unknown): boolean {
  return errorCode(error) === '23505';
}

/** A prepared statement whose columns a migration changed, or that the server behind a pooler does not know: nothing ran, and on this connection nothing would. */
export const stalePlans: readonly string[] = ['0A000', '26000'];

/** Deadlock, serialisation failure, a unique key that a concurrent transaction took between our read and our insert, a stale plan. */
export function isLostRace(error: unknown): boolean {
  return ['40P01', '40001', '23505', ...stalePlans].includes(errorCode(error) ?? '');
}

/** Node's codes of the system: ECONNREFUSED, EAI_AGAIN, … Its codes ERR_… are of wrong settings: an address, a certificate. */
const systemCode = /^E(?!RR_)[A-Z_]+$/;

/**
 * Whether a database may well be usable a moment later: no connection was to be had, or a connection or statement broke off. The
 * server may also lack something (SQLSTATE class 53), start or stop or be too slow (57), or not be the primary yet. Any other error of the server stays what it is.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof SluiceError) return false;
  const code = errorCode(error) ?? '';
  if (systemCode.test(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code)) return isReadOnly(error) || ['08', '53', '57'].includes(code.slice(0, 2));
  return neverReached(error) || /connection terminated/i.test((error as Error).message);
}

/** Data, constraint, program limit: a fault of one row. On the path of writes its neighbours are tried without it. */
export const refusedValue = /^(22|23|54)[0-9A-Z]{3}$/;
/** Data, constraint, syntax or access: outside that path a statement has one row, and a refusal of it is a defect as well. */
export const refusedStatement = /^(22|23|42)[0-9A-Z]{3}$/;

/** What callers see: a defect where the server refused what we sent, else a database that does not answer. */
export function toStoreError(error: unknown, refused = refusedStatement): SluiceError {
  if (error instanceof SluiceError) return error;
  const sqlState = errorCode(error) ?? '';
  if (refused.test(sqlState)) {
    const detail = `The database refused a ${refusedValue.test(sqlState) ? 'value' : 'statement'}.`;
    return new DefectError({ code: 'service.defect', detail, meta: { sqlState }, cause: error });
  }
  if (refused === refusedStatement && error instanceof TypeError) {
    const detail = 'The store failed: this is a defect.';
    return new DefectError({ code: 'service.defect', detail, cause: error });
  }
  const answered = isReadOnly(error) ? 'takes no writes' : `refuses for now (SQLSTATE ${sqlState})`;
  const detail = `The database ${isRefusedByServer(error) ? answered : 'does not answer'}.`;
  return new DependencyError({ code: 'service.unavailable', detail, retryAfterMs: 2_000, cause: error });
}

/** A rejection handler: throws `makeError()` when this unique constraint was violated, else the error as it came. */
export function onDuplicate(constraint: string, makeError: () => SluiceError): (error: unknown) => never {
  return (error) => {
    throw isDuplicate(error) && (error as { constraint?: string }).constraint === constraint ? makeError() : error;
  };
}

/**
 * What keeps a process from using its database when it starts: one sentence with the server and the database, and what to do.
 * The password is not in it.
 * @param triedMs how long it was tried; shown when it is a second or more
 */
export function toStartError(error: unknown, url: string, triedMs = 0): SluiceError {
  if (error instanceof SluiceError) return error;
  const { host, user, name } = addressOf(url);
  const { reason, remedy } = startReason(error, user);
  const tried = triedMs < 1_000 ? '' : `; tried for ${Math.round(triedMs / 1_000)} s`;
  const detail = `The database ${name} at ${host} ${reason}${tried}.`;
  return new DependencyError({ code: 'service.unavailable', detail, remedy, cause: error });
}

function addressOf(url: string): { readonly host: string; readonly user: string; readonly name: string } {
  try {
    const { host, username, pathname, searchParams } = new URL(url);
    const user = decodeURIComponent(username);
    const name = decodeURIComponent(pathname.slice(1)) || user;
    return { host: host === '' ? (searchParams.get('host') ?? 'the default socket') : host, user, name };
  } catch {
    return { host: 'DATABASE_URL', user: '', name: '' };
  }
}

/** What the server itself says. knex puts the statement before it. */
const wordsOf = (error: unknown): string => (error as Error).message.split(' - ').at(-1) ?? '';

const login = 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.';

/** By SQLSTATE, or the beginning of it: what continues the sentence after the name of the database, and the remedy. A row says no more than the code proves. */
const startReasons: Readonly<
  Record<string, readonly [reason: (user: string, words: string) => string, remedy: string]>
> = {
  '08P01': [
    (_, words) => `cannot be reached through its pooler: ${words}`,
    'The pooler gives the reason; docs/guides/pgbouncer.md has the settings that it needs.',
  ],
  '25006': [
    (_, words) => `takes no writes: ${words}`,
    'Let DATABASE_URL lead to the primary; where it does, reset default_transaction_read_only of role, database and server.',
  ],
  '28P01': [(user) => `refuses the user ${user}`, login],
  '28': [(user, words) => `refuses the user ${user}: ${words}`, login],
  '3D': [() => 'does not exist', 'Create it, or correct DATABASE_URL; then run: npm run migrate'],
  '42501': [
    (user) => `does not let the user ${user} read the schema`,
    'Grant what docs/guides/security.md lists, or use the user that ran the migrations.',
  ],
  '53300': [
    () => 'has no connection left',
    'Raise max_connections or lower SLUICE_DATABASE_POOL: docs/guides/sizing.md has the sum.',
  ],
  '53': [(_, words) => `lacks a resource: ${words}`, 'Give the server what it lacks; then start the service again.'],
  '57014': [(_, words) => `was too slow: ${words}`, 'See what it is busy with: pg_stat_activity.'],
  '57P': [() => 'is starting or stopping', 'Start the service again once it answers.'],
};

const unreachable =
  'Check DATABASE_URL, and that Postgres runs there and lets this host in; then start the service again.';

export function startReason(error: unknown, user: string): { readonly reason: string; readonly remedy: string } {
  const code = errorCode(error) ?? '';
  const words = wordsOf(error);
  if (systemCode.test(code)) return { reason: `does not answer (${code})`, remedy: unreachable };
  if (neverReached(error))
    return { reason: 'gave no connection within 2 s: it is busy, or cannot be reached', remedy: unreachable };
  const known = [5, 3, 2].map((length) => startReasons[code.slice(0, length)]).find((row) => row !== undefined);
  if (/^[0-9A-Z]{5}$/.test(code) && known) return { reason: known[0](user, words), remedy: known[1] };
  return { reason: `cannot be used: ${words}`, remedy: 'The reason is in the words of the server or its driver.' };
}
