import { DependencyError, SluiceError } from '@sluice/errors';
import { errorCode, neverReached } from './database';

/**
 * What keeps a process from using its database when it starts: one sentence with the server and the database, and what to do.
 * The password is not in it.
 * @param triedMs how long it was tried again and again; said when it is a second or more
 */
export function toStartError(error: unknown, url: string, triedMs = 0): SluiceError {
  if (error instanceof SluiceError) return error;
  const { where, user, name } = placeOf(url);
  const { why, remedy } = reasonOf(error, { user, name });
  const tried = triedMs < 1_000 ? '' : `; tried for ${Math.round(triedMs / 1_000)} s`;
  const detail = `The database ${name} at ${where} ${why}${tried}.`;
  return new DependencyError({ code: 'service.unavailable', detail, remedy, cause: error });
}

/** Node's codes of the system: ECONNREFUSED, EAI_AGAIN, … Its codes ERR_… are of wrong settings: an address, a certificate. */
const systemCode = /^E(?!RR_)[A-Z_]+$/;

/**
 * Whether a database may well be usable a moment later: no connection was to be had, a connection or statement broke off, the server
 * has none left (SQLSTATE class 53), or starts or stops or was too slow (57). Any other answer of the server stays what it is.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof SluiceError) return false;
  const code = errorCode(error) ?? '';
  if (systemCode.test(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code)) return ['08', '53', '57'].includes(code.slice(0, 2));
  return neverReached(error) || /connection terminated/i.test((error as Error).message);
}

interface Place {
  readonly where: string;
  readonly user: string;
  readonly name: string;
}

function placeOf(url: string): Place {
  try {
    const { host, username, pathname, searchParams } = new URL(url);
    const user = decodeURIComponent(username);
    const where = host === '' ? (searchParams.get('host') ?? 'the default socket') : host;
    return { where, user, name: decodeURIComponent(pathname.slice(1)) || user };
  } catch {
    return { where: 'DATABASE_URL', user: '', name: '' };
  }
}

interface Reason {
  /** Goes on after the name of the database. */
  readonly why: string;
  readonly remedy: string;
}

/** By SQLSTATE, or its class. Source: https://www.postgresql.org/docs/18/errcodes-appendix.html */
const refusals: Readonly<Record<string, (place: Pick<Place, 'user' | 'name'>) => Reason>> = {
  '28': ({ user }) => ({
    why: `refuses the user ${user}`,
    remedy: 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.',
  }),
  '3D': () => ({ why: 'does not exist', remedy: 'Create it, or correct DATABASE_URL; then run: npm run migrate' }),
  '42501': ({ user }) => ({
    why: `does not let the user ${user} read the schema`,
    remedy: 'Grant what docs/guides/security.md lists, or use the user that ran the migrations.',
  }),
  '53': () => ({
    why: 'has no connection left',
    remedy: 'Raise max_connections or lower SLUICE_DATABASE_POOL: docs/guides/sizing.md has the sum.',
  }),
  '57': () => ({ why: 'is starting or stopping', remedy: 'Start the service again once it answers.' }),
};

function reasonOf(error: unknown, place: Pick<Place, 'user' | 'name'>): Reason {
  const code = errorCode(error) ?? '';
  const refusal = /^[0-9A-Z]{5}$/.test(code) ? (refusals[code] ?? refusals[code.slice(0, 2)]) : undefined;
  if (refusal !== undefined) return refusal(place);
  const remedy =
    'Check DATABASE_URL, and that Postgres runs there and lets this host in; then start the service again.';
  if (systemCode.test(code)) return { why: `does not answer (${code})`, remedy };
  if (neverReached(error)) return { why: 'gave no connection within 2 s: it is busy, or cannot be reached', remedy };
  return { why: `cannot be used: ${lastClause(error)}`, remedy };
}

/** knex puts the statement before the reason. */
function lastClause(error: unknown): string {
  const { message } = error as Error;
  return message.split(' - ').at(-1) ?? message;
}
