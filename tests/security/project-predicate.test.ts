import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const source = join(__dirname, '../../libs/store/src');

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: withoutComments(readFileSync(join(source, file), 'utf8')) }));

/** Every table but the list of projects itself. */
const tables = files
  .filter(({ file }) => file.startsWith('migrations'))
  .flatMap(({ text }) => [...text.matchAll(/create table (\w+)/g)].map(([, table]) => table ?? ''))
  .filter((table) => table !== 'projects');

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

/** Texts of SQL that read or change a tenant table. */
function sqlOf(text: string): string[] {
  const touches = new RegExp(`\\b(from|join|into|update)\\s+(${tables.join('|')})\\b`);
  return [...text.matchAll(/`(?:[^`\\]|\\.)*`/g)].map(([sql]) => sql).filter((sql) => touches.test(sql));
}

/** Top-level declarations that build a statement on a tenant table. */
function buildersOf(text: string): string[] {
  const builds = new RegExp(`\\('(${tables.join('|')})( as \\w+)?'\\)`);
  return text.split(/^(?=export |const |async |function )/m).filter((declaration) => builds.test(declaration));
}

const namesProject = (statement: string) => /project_id|projectId/.test(statement);

// Reliability 4.1, row 11. One statement without the project is all it takes to answer with another builder's rows.
describe('[sec-11] every statement on a tenant table names the project', () => {
  const touching = files
    .filter(({ file }) => !file.startsWith('migrations'))
    .map(({ file, text }) => ({ file: relative('.', file), statements: [...sqlOf(text), ...buildersOf(text)] }))
    .filter(({ statements }) => statements.length > 0);

  it('knows the tables and the statements', () => {
    expect(tables.length).toBeGreaterThan(15);
    expect(touching.flatMap(({ statements }) => statements).length).toBeGreaterThan(60);
  });

  it.each(touching)('$file', ({ statements }) => {
    expect(statements.filter((statement) => !namesProject(statement))).toEqual([]);
  });
});
