import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join(__dirname, '../../libs/store/src');

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: withoutComments(readFileSync(join(source, file), 'utf8')) }));

/** Tables of no project: the list of projects itself, and who signs in. What a person may see, each session's claims say. */
const ofNoProject = ['projects', 'people', 'sessions'];

/** Every other table. */
const tables = files
  .filter(({ file }) => file.startsWith('migrations'))
  .flatMap(({ text }) => [...text.matchAll(/create (?:table|view) (\w+)/g)].map(([, table]) => table ?? ''))
  .filter((table) => !ofNoProject.includes(table))
  .join('|');

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

/** A part of a statement between parentheses, and which tenant tables it reads under which names. */
interface Scope {
  readonly parent?: Scope;
  readonly names: Map<string, Table>;
}

interface Table {
  readonly name: string;
  /** Its rows are those of one project: compared with a value, with another part of the statement, or with a table that is. */
  isBound: boolean;
  readonly equals: Table[];
}

const token = new RegExp(
  [
    String.raw`\((?<tuple>\w+\.)?project_id\s*,[^()]*\)\s*(?:in|=)\s*\(`,
    String.raw`(?<open>\()`,
    String.raw`(?<close>\))`,
    String.raw`\b(?:from|join|update|using)\s+(?:only\s+)?(?<table>${tables})\b(?:\s+as)?(?:\s+(?!(?:where|set|on|order|limit|for|cross|join|left|inner|group|using|union|returning|values|natural|full|right)\b)(?<alias>[a-z]\w*))?`,
    String.raw`(?:\b(?<left>\w+)\.)?project_id\s*=\s*(?:any\b|(?:(?<right>\w+)\.)?(?<other>project_id)\b|(?<value>\S))`,
  ].join('|'),
  'g',
);

/** A comparison of a project in a statement. */
interface Comparison {
  readonly scope: Scope;
  readonly text: string;
  readonly index: number;
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** The table that was named last before it in the same part: what a bare `project_id` means. */
  readonly latest: Table | undefined;
}

function read(sql: string): { readonly found: readonly Table[]; readonly comparisons: readonly Comparison[] } {
  const found: Table[] = [];
  const comparisons: Comparison[] = [];
  let scope: Scope = { names: new Map() };
  for (const { groups = {}, index, 0: text } of sql.matchAll(token)) {
    if (text.startsWith('(') && groups['open'] === undefined) {
      comparisons.push({ scope, text, index, groups, latest: [...scope.names.values()].at(-1) });
      scope = { parent: scope, names: new Map() };
    } else if (groups['open']) scope = { parent: scope, names: new Map() };
    else if (groups['close']) scope = scope.parent ?? scope;
    else if (groups['table'] !== undefined) {
      const table: Table = { name: groups['table'], isBound: false, equals: [] };
      scope.names.set(groups['alias'] ?? table.name, table);
      found.push(table);
    } else comparisons.push({ scope, text, index, groups, latest: [...scope.names.values()].at(-1) });
  }
  return { found, comparisons };
}

/** The tenant tables that a statement reads and does not bind to a project. */
function unboundOf(sql: string): string[] {
  const { found, comparisons } = read(sql);
  for (const comparison of comparisons) bind(comparison);
  for (let rounds = found.length; rounds > 0; rounds -= 1)
    for (const table of found) if (table.equals.some(({ isBound }) => isBound)) table.isBound = true;
  return found.filter(({ isBound }) => !isBound).map(({ name }) => name);
}

/** The tenant tables on both sides: none where parts of the statement are compared with each other. */
function sidesOf({ scope, groups, latest }: Comparison): readonly [left: Table | undefined, right: Table | undefined] {
  const name = groups['left'] ?? groups['tuple']?.slice(0, -1);
  const left = name === undefined ? latest : tableOf(scope, name);
  return [left, groups['other'] === undefined ? undefined : tableOf(scope, groups['right'])];
}

function bind(comparison: Comparison): void {
  const [left, right] = sidesOf(comparison);
  if (left !== undefined && right !== undefined) {
    left.equals.push(right);
    right.equals.push(left);
  } else for (const table of [left, right]) if (table !== undefined) table.isBound = true;
}

/** What a name means there. */
function tableOf(scope: Scope | undefined, name: string | undefined): Table | undefined {
  if (scope === undefined) return undefined;
  return (name === undefined ? undefined : scope.names.get(name)) ?? tableOf(scope.parent, name);
}

const statements = files
  .filter(({ file }) => !file.startsWith('migrations'))
  .flatMap(({ file, text }) =>
    [...text.matchAll(/`(?:[^`\\]|\\.)*`/g)]
      .map(([literal]) => ({ file, sql: literal.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '?') }))
      .filter(({ sql }) => new RegExp(String.raw`\b(from|join|update|using)\s+(${tables})\b`).test(sql)),
  );

/**
 * Statements that find rows of every project, by file: sweeps of what is due, lapsed or over, which then act on each within its project, a sample
 * for a metric or a chart, and parts whose comparison another function writes (`notify`, `claim-messages`, `close-batch`).
 */
const acrossProjects: Readonly<Record<string, readonly string[]>> = {
  'connections/connect-session-store.ts': ['connect_sessions'],
  'integrations/upload-store.ts': ['uploads'],
  'minutes.ts': ['calls', 'calls', 'process_minutes', 'process_minutes', 'process_minutes', 'process_minutes'],
  'webhooks/claim-messages.ts': ['webhook_endpoints', 'webhook_messages', 'webhook_messages'],
  'webhooks/message-store.ts': ['webhook_messages'],
  'webhooks/notify.ts': ['webhook_endpoints', 'webhook_endpoints', 'webhook_endpoints'],
  'writes/claim-cancelled.ts': ['cancels'],
  'writes/close-batch.ts': ['open_batches', 'open_batches'],
  'writes/doubt-restored.ts': ['calls'],
  'writes/find-ready-lanes.ts': ['calls', 'calls'],
  'writes/idempotency-key.ts': ['idempotency_keys'],
  'writes/leases.ts': ['calls'],
  'writes/order-queue.ts': ['barriers', 'calls'],
  'writes/overdue.ts': ['calls'],
  'writes/sample-lanes.ts': ['quarantine'],
  'writes/sweeps.ts': ['calls', 'closed_batches', 'flushes', 'lanes', 'open_batches', 'outcomes'],
};

const unboundIn = Object.fromEntries(
  [...Map.groupBy(statements, ({ file }) => file)]
    .map(([file, own]) => [file, own.flatMap(({ sql }) => unboundOf(sql)).toSorted()] as const)
    .filter(([, unbound]) => unbound.length > 0),
);

// One statement without the project is all it takes to answer with another builder's rows.
describe('[sec-11] every statement on a tenant table is bound to a project', () => {
  it('but those that are listed', () => {
    expect(statements.length).toBeGreaterThan(120);
    expect(unboundIn).toEqual(acrossProjects);
  });

  const removals = statements.flatMap(({ file, sql }) =>
    read(sql)
      .comparisons.filter((comparison) => sidesOf(comparison).some((side) => side !== undefined))
      .map(({ index, text }) => {
        const without =
          sql.slice(0, index) + (text.startsWith('(') ? '(1 in (' : '1 = 1 ') + sql.slice(index + text.length);
        const isNoticed = unboundOf(without).length > unboundOf(sql).length;
        return {
          isNoticed,
          position: `${file}: ${sql.slice(Math.max(0, index - 80), index + 40).replaceAll(/\s+/g, ' ')}`,
        };
      }),
  );

  it('a comparison that is taken out of one of them is noticed, each in turn', () => {
    expect(removals.length).toBeGreaterThan(200);
    const unnoticed = removals.filter(
      ({ isNoticed, position }) => !isNoticed && acrossProjects[position.split(':')[0] ?? ''] === undefined,
    );
    expect(unnoticed.map(({ position }) => position)).toEqual([]);
  });

  const builders = files
    .filter(({ file }) => !file.startsWith('migrations'))
    .map(({ file, text }) => ({ file, declarations: buildersOf(text) }))
    .filter(({ declarations }) => declarations.length > 0);

  // What is inserted has a project in any case: no table takes a row without one.
  it.each(builders)('$file: what builds a statement names it', ({ declarations }) => {
    expect(
      declarations.filter(
        (declaration) =>
          !/project_id|\.where\((rowOf\(key\)|key|row)\)|\.insert\(\{\s*\.{3}\w+\.write\(/.test(declaration),
      ),
    ).toEqual([]);
  });
});

/** Top-level declarations that build a statement on a tenant table; lists of columns do not. */
function buildersOf(text: string): string[] {
  const builds = new RegExp(String.raw`\('(${tables})( as \w+)?'\)`);
  return text
    .split(/^(?=export |const |async |function )/m)
    .filter((declaration) => builds.test(declaration) && !/^(export )?const \w+ = table\(/.test(declaration));
}
