import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  failureTables,
  loadDeclarations,
  readConnectOnly,
  type Declaration,
  type FailureRow,
} from '@sluice/connectors';
import { retryOf } from '@sluice/errors';
import { repositoryRoot } from '@sluice/stack';

/** `docs/providers`: pages written by hand, whose tables of failures are those that decide. What each provider file states comes after them. */
export function providerPages(): Readonly<Record<string, string>> {
  const { hubspot, salesforce, declared } = failureTables;
  const [fromFiles = ''] = readPage('from-files').split(/\n(?=## (?!What a call))/);
  const sections = loadDeclarations().map((file) => `\n${sectionOf(file)}`);
  return Object.fromEntries([
    [pathOf('hubspot'), withTables('hubspot', readPage('hubspot'), hubspot)],
    [pathOf('salesforce'), withTables('salesforce', readPage('salesforce'), salesforce)],
    [pathOf('from-files'), [withTables('from-files', fromFiles, [declared()]), ...sections].join('')],
    [pathOf('connect-only'), connectOnlyPage()],
  ]) as Readonly<Record<string, string>>;
}

const connectOnlyHead = `# Providers that are connected only

Accounts of these are connected, and their credentials kept and renewed. Sluice writes and searches nothing there: a write is refused with \`write.capability-missing\`.
A file of yours with the same name ([how](../guides/add-a-provider.md)) takes the place of a row.

The table is made of \`libs/connectors/providers/connect-only.json\` by \`npm run generate:client\`; a test compares. Nothing here was checked on a live account.
Each row is **recorded**: amp-labs/connectors, providers, read on 2026-08-21. Where a check of credentials is known, it is made when an account is connected.

`;

function connectOnlyPage(): string {
  const rows = readConnectOnly().map(({ name, displayName, baseUrl, auth, account, variables = {} }) => [
    `\`${name}\``,
    displayName,
    schemesOf(auth).join(', '),
    `\`${baseUrl}\``,
    Object.values(variables)
      .map((variable) => variable.displayName ?? '')
      .join(', '),
    account === undefined ? '' : `\`${account.path}\``,
  ]);
  return connectOnlyHead + tableOf(['name', 'provider', 'opened with', 'address', 'asks for', 'check'], rows);
}

const pathOf = (name: string): string => `docs/providers/${name}.md`;
const readPage = (name: string): string => readFileSync(join(repositoryRoot, pathOf(name)), 'utf8');
const head = ['signal', 'class', 'meaning', 'wait', 'basis', 'source'];

/** @throws Error when the page has more or fewer such tables than the provider */
function withTables(name: string, text: string, tables: readonly (readonly FailureRow[])[]): string {
  const [first = '', ...rest] = text.split(/^\| signal \|.*\n(?:\|.*\n)*/m);
  if (rest.length === tables.length)
    return first + rest.map((behind, at) => failureTable(tables[at] ?? []) + behind).join('');
  throw new Error(`${pathOf(name)} has ${rest.length} tables that begin with "| signal |"; write ${tables.length}`);
}

/** The rows in the order in which they decide. */
function failureTable(rows: readonly FailureRow[]): string {
  return tableOf(
    head,
    rows.map((row) => [conditionOf(row), row.class, meaningOf(row), waitOf(row), ...factCells(row.fact)]),
  );
}

function sectionOf(file: Declaration): string {
  const { name, displayName, auth, objects, facts } = file;
  const usual = new Set(failureTables.declared().map(conditionOf));
  const own = failureTables.declared(file).filter((row) => !usual.has(conditionOf(row)));
  const unique = Object.entries(objects).flatMap(([object, { unique: field }]) =>
    field ? [`${object}.${field}`] : [],
  );
  const lookedUp = unique.length > 0 ? `looked up by ${unique.join(', ')}; otherwise ` : '';
  const parts = [
    `## ${displayName}\n`,
    `\`libs/connectors/providers/${name}.yaml\`. Opened with ${schemesOf(auth).join(', ')}. A create of unknown outcome: ${lookedUp}"outcome unknown".\n`,
    tableOf(
      ['part', 'basis', 'source'],
      Object.entries(facts).map(([part, fact]) => [`\`${part}\``, ...factCells(fact)]),
    ),
    ...(own.length > 0 ? [failureTable(own)] : []),
  ];
  return parts.join('\n');
}

function schemesOf(auth: Declaration['auth']): string[] {
  const grants = auth.oauth2?.grants.map((grant) => `\`oauth2/${grant}\``) ?? [];
  const keys = (['apiKey', 'basic', 'none'] as const)
    .filter((scheme) => auth[scheme])
    .map((scheme) => `\`${scheme}\`${Object.hasOwn(auth.ending ?? {}, scheme) ? ' (connections that have it)' : ''}`);
  return [...keys, ...grants];
}

/** What a row asks for, as words: where it holds, and where it does not. */
const properties: Readonly<Record<NonNullable<FailureRow['is']>[number], readonly [is: string, not: string]>> = {
  json: ['with JSON', 'without JSON'],
  empty: ['without a body', 'with a body'],
  page: ['with a page', 'without a page'],
  whole: ['that is whole', 'that is cut off or cannot be read'],
  record: ['of one record in a 2xx', 'of the whole call'],
  batch: ['of a batch', 'of a single record'],
  keyed: ['with a unique value', 'without a unique value'],
  resend: ['that may have been carried out before', 'sent for the first time'],
  taken: ['that names only values which other records have', 'that names other problems'],
  sensitive: ['that lacks only scopes of sensitive properties', 'that lacks other scopes'],
  fields: ['that names fields', 'that names no field'],
  failed: ['that reports failure', 'that reports success'],
  identity: ['at userinfo', 'elsewhere'],
  wrapped: ["inside another code's message", 'of the error itself'],
  refresh: ['of a refresh', 'of another request for tokens'],
  ownClient: ["for the connection's own client", "for the builder's app"],
};

function conditionOf({ signal, status, code, says, on, is = [], not = [] }: FailureRow): string {
  const parts = [
    ...[status, code].flatMap((some) => (some ? [some.join(', ')] : [])),
    ...(says ? [`with ${says.map((part) => `"${part}"`).join(' or ')}`] : []),
    ...(on ? [`on ${on.join(', ')}`] : []),
    ...is.map((property) => properties[property][0]),
    ...not.map((property) => properties[property][1]),
  ];
  return signal ?? (parts.join(' ') || 'whatever is in no other row');
}

function meaningOf({ class: of, isLane, divides }: FailureRow): string {
  const isDivided = divides && `, a batch is divided for ${divides === 'number' ? 'its size' : 'one record'}`;
  return `${classMeaning(of)}${isLane ? ', blocks the account' : ''}${isDivided ?? ''}`;
}

/** What a class means for the sender of a write. An update or a delete of unknown outcome is just tried again: its end state is the same. */
function classMeaning(of: FailureRow['class']): string {
  if (of === 'unknown' || of === 'timeout') return 'retry after reconciling';
  if (of === 'credentials') return 'refresh';
  if (of === 'ok') return 'ok';
  return retryOf(of) === 'never' ? 'permanent' : 'retry';
}

function waitOf({ waitMs = 0, triesMax }: FailureRow): string {
  const wait = waitMs >= 60_000 ? `${waitMs / 60_000} min` : waitMs > 0 ? `${waitMs / 1_000} s` : '';
  return [wait, triesMax === undefined ? '' : `at most ${triesMax} tries`].filter(Boolean).join('; ');
}

function factCells(fact: string): string[] {
  const [basis = '', ...source] = fact.split(': ');
  return [basis, source.join(': ')];
}

function tableOf(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [names, names.map(() => '---'), ...rows].map((cells) =>
    cells.map((cell) => (cell === '' ? ' ' : ` ${cell.replaceAll('|', '\\|')} `)).join('|'),
  );
  return lines.map((line) => `|${line}|\n`).join('');
}
