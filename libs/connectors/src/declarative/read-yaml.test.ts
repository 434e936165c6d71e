import { readYaml } from './read-yaml';

const reasonOf = (text: string): string | undefined => {
  const read = readYaml(text);
  return read.ok ? undefined : read.problems[0]?.reason;
};
const repeated = (anchor: string, times: number) => `a: &a ${anchor}\nb: [${Array(times).fill('*a').join(', ')}]`;

describe('anchors that grow', () => {
  // Some 170 MB, had they been written out: the text has a character that takes two bytes.
  it('are measured before they are written out', () => {
    const before = process.memoryUsage().heapUsed;
    expect(reasonOf(repeated(`"${'ā'.repeat(900_000)}"`, 95))).toMatch(/anchors make more than 1000000 characters/);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
  });

  it('are refused one within another, and as names', () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(8).fill(`*l${at}`).join(', ')}]`,
    );
    expect(reasonOf(`l0: &l0 ${'x'.repeat(1_000)}\n${levels.join('\n')}`)).toMatch(/anchors make more than/);
    const name = 'y'.repeat(300_000);
    expect(reasonOf(`a: &a ${name}\nb: [${Array(5).fill('{ *a : 1 }').join(', ')}]`)).toMatch(/anchors make more than/);
  });

  it.each(['a: *b', 'a: &a [*a]', '? [a, b]\n: 1'])('%s is refused', (text) => {
    expect(reasonOf(text)).toMatch(/lead nowhere or contain themselves, or a name of it has parts/);
  });

  it('are written out where they are few', () => {
    const read = readYaml(repeated('{ c: 1, d: .inf }', 3));
    expect(read.ok && JSON.parse(read.text.json)).toEqual({
      a: { c: 1, d: null },
      b: Array.from({ length: 3 }, () => ({ c: 1, d: null })),
    });
  });

  // The second in force of one name counts.
  it('are written out one within another, the last of a name', () => {
    const six = (name: string) => Array(6).fill(`*${name}`).join(', ');
    const small = readYaml(`a: &a 1\nb: &b [${six('a')}]\nc: &c [${six('b')}]\nd: [${six('c')}]`);
    expect(small.ok && (JSON.parse(small.text.json) as { d: unknown[] }).d.flat(2)).toHaveLength(216);
    const twice = readYaml('a: &a 1\nb: &a [2, *a]\nc: *a');
    expect(reasonOf('a: &a 1\nb: &a [2, *a]')).toMatch(/contain themselves/);
    expect(twice.ok).toBe(false);
    const again = readYaml('a: &a 1\nb: *a\nc: &a 2\nd: *a');
    expect(again.ok && JSON.parse(again.text.json)).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  // Each of a few kilobytes; written out, they are thousands of levels deep, and whatever walks them would end with the stack.
  it.each([2, 60])('are refused when they nest too deep, by %i levels each', (levels) => {
    const steps = Array.from(
      { length: 98 },
      (_, at) => `l${at + 1}: &l${at + 1} ${'['.repeat(levels)}*l${at}${']'.repeat(levels)}`,
    );
    const groups = [steps.slice(0, 40), steps.slice(40)].map((lines) => lines.join('\n  '));
    expect(reasonOf(`l0: &l0 x\na:\n  ${groups[0]}\nb:\n  ${groups[1]}`)).toBe('its anchors nest too deep');
    expect(reasonOf(`l0: &l0 x\n${steps.slice(0, 3).join('\n')}`)).toBe(
      levels === 2 ? undefined : 'its anchors nest too deep',
    );
  });

  it.each([
    ['as long as it may be', 1_000_000, true],
    ['a character more', 1_000_001, false],
  ])('%s', (_case, length, isTaken) => {
    // {"a":"…"} and what stands around it.
    expect(readYaml(`a: "${'x'.repeat(length - 8)}"`).ok).toBe(isTaken);
  });
});

describe('half of a surrogate pair', () => {
  it.each([
    [String.raw`a: "x\udfff"`, 4],
    [String.raw`a: 'x'` + '\n' + String.raw`"b\uD83D": 1`, 1],
    [String.raw`[{ "a": ["\U0000d800"] }]`, 10],
    [String.raw`a: &a "\ud800 "`, 7],
  ])('%s is refused, with its place', (text, column) => {
    const read = readYaml(text);
    expect(!read.ok && read.problems).toEqual([
      { reason: expect.stringContaining('lone surrogate'), position: { line: text.split('\n').length, column } },
    ]);
  });

  it('is none where the other half follows, or where nothing is escaped', () => {
    const read = readYaml(String.raw`a: "\ud83d\ude00"` + '\n' + String.raw`b: \ud800`);
    expect(read.ok && JSON.parse(read.text.json)).toEqual({ a: '\u{1f600}', b: String.raw`\ud800` });
  });
});
