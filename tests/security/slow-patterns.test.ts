import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

const root = join(__dirname, '../..');
const files = globSync('{libs,services}/*/src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));

interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** Every literal pattern of a source text. */
function patternsOf(text: string): Pattern[] {
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && node.type === 'RegExpLiteral') found.push(node as unknown as Pattern);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(text, { syntax: 'typescript', target: 'es2024' }));
  return found;
}

/** Quadratic in the slashes at the end of an address, and used only on addresses that whoever runs the service set. */
const ofSettings = '\\/+$';

/** How a text can make a pattern slow: one sentence each, none for one that always takes linear time. */
function slownessOf({ pattern, flags }: Pattern): string[] {
  if (pattern === ofSettings) return [];
  const { reports } = analyse({ source: pattern, flags });
  return reports.map(
    ({ type, exponential }) => `/${pattern}/${flags}: ${exponential ? 'exponential' : 'polynomial'} time (${type})`,
  );
}

// Item 32 of the security checklist: a text is sent by anybody, and a pattern that backtracks at each position takes minutes for one.
describe('[sec-32] the patterns of the source', () => {
  it('are found', () => {
    expect(files.flatMap((file) => patternsOf(readFileSync(join(root, file), 'utf8'))).length).toBeGreaterThan(150);
  });

  it.each(['const a = /(a+)+$/;', 'const a = /a*a*b/;', 'const a = /^(\\w+\\s?)*$/;'])(
    '%s would be noticed',
    (text) => {
      expect(patternsOf(text).flatMap(slownessOf)).not.toEqual([]);
    },
  );

  it.each(files)('%s: each takes linear time', (file) => {
    expect(patternsOf(readFileSync(join(root, file), 'utf8')).flatMap(slownessOf)).toEqual([]);
  });
});
