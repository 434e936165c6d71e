/** What takes something away from code that was written for the schema before: it runs on while a new version rolls out. */
const rules: readonly (readonly [broken: RegExp, why: string])[] = [
  [/\bdrop\s+(table|column|view|sequence|type|schema)\b/i, 'drops what the version before may use'],
  [/\brename\s+(to|column|constraint)\b/i, 'renames what the version before uses'],
  [/\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i, 'changes a type under the version before'],
  [/\balter\s+column\s+\S+\s+set\s+not\s+null\b/i, 'refuses rows that the version before writes'],
  [/\balter\s+column\s+\S+\s+drop\s+default\b/i, 'refuses rows that the version before writes'],
  [/\btruncate\b|\bdelete\s+from\b/i, 'removes rows'],
];

/** Statements of one migration that contract, each with its reason. Tables that the migration itself makes have no old users. */
export function contractions(statements: readonly string[]): string[] {
  const clauses = statements.flatMap((statement) => withoutComments(statement).split(';'));
  const made = new Set(clauses.flatMap((clause) => /\bcreate\s+table\s+"?(\w+)/i.exec(clause)?.[1] ?? []));
  const dropped = new Set(clauses.flatMap((clause) => /\bdrop\s+index\s+"?(\w+)/i.exec(clause)?.[1] ?? []));
  return clauses.flatMap((clause) => {
    if (loosens(clause, dropped)) return [];
    const why = reasonOf(clause, made);
    return why === undefined ? [] : [`${clause.trim().replaceAll(/\s+/g, ' ').slice(0, 120)}: ${why}`];
  });
}

/** A unique index that takes the place of one of its name, with a condition: rows that it refuses the one before refused, too. */
function loosens(clause: string, dropped: ReadonlySet<string>): boolean {
  const [, name = ''] = /\bcreate\s+unique\s+index\s+"?(\w+)"?\s+on\s+\S+\s*\([^)]*\)\s*where\b/i.exec(clause) ?? [];
  return dropped.has(name);
}

function reasonOf(clause: string, made: ReadonlySet<string>): string | undefined {
  const table = /\b(?:alter\s+table(?:\s+only)?|on)\s+"?(\w+)/i.exec(clause)?.[1];
  if (table !== undefined && made.has(table)) return undefined;
  const broken = rules.find(([rule]) => rule.test(clause));
  if (broken !== undefined) return broken[1];
  if (
    /\bcreate\s+unique\s+index\b/i.test(clause) ||
    /\badd\s+(constraint|unique|check|primary|foreign)\b/i.test(clause)
  ) {
    return 'refuses rows that the version before writes';
  }
  return addsRequired(clause) ? 'adds a column that the version before does not fill' : undefined;
}

/** `add column … not null` without a default. Columns are divided by commas outside of parentheses. */
function addsRequired(clause: string): boolean {
  const added = clause.split(/,(?![^(]*\))/).filter((part) => /\badd\s+(column\s+)?"?\w+"?\s+/i.test(part));
  return added.some((part) => /\bnot\s+null\b/i.test(part) && !/\bdefault\b|\bgenerated\b/i.test(part));
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/--.*$|\/\*[^]*?\*\//gm, '');
}
