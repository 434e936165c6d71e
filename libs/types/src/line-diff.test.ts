import { diffLines } from './line-diff';

const marks = { same: ' ', added: '+', removed: '-' } as const;
const shown = (before: string, after: string) => diffLines(before, after).map(({ kind, text }) => marks[kind] + text);

describe('diffLines', () => {
  it('keeps what both have, and puts what is gone before what came', () => {
    expect(shown('a\nb\nc\nd\n', 'a\nx\nc\nd\ne\n')).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
    expect(shown('a\n', 'a\n')).toEqual([' a']);
    expect(shown('', 'a\nb\n')).toEqual(['+a', '+b']);
    expect(shown('a\nb\n', '')).toEqual(['-a', '-b']);
  });

  it('finds a block that was inserted before one like it', () => {
    const contacts = '- name: contacts\n  read: true\n';
    const deals = '- name: deals\n  read: true\n';
    expect(shown(contacts, deals + contacts).filter((line) => !line.startsWith(' '))).toHaveLength(2);
    expect(shown(contacts, contacts + deals)).toEqual([
      ' - name: contacts',
      '   read: true',
      '+- name: deals',
      '+  read: true',
    ]);
  });

  it('gives either text back, whatever differs', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 200; round += 1) {
      const [before, after] = [0, 0].map(() => Array.from({ length: random(12) }, () => `l${random(4)}\n`).join(''));
      const changes = diffLines(before ?? '', after ?? '');
      const without = (kind: string) => changes.flatMap((one) => (one.kind === kind ? [] : [`${one.text}\n`])).join('');
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }
  });

  it('calls replaced what is too much to compare', () => {
    const many = (word: string) => Array.from({ length: 3_000 }, (_none, at) => `${word} ${at}\n`).join('');
    const changes = diffLines(`same\n${many('old')}`, `same\n${many('new')}`);
    expect(changes).toHaveLength(6_001);
    expect(changes.slice(0, 2)).toEqual([
      { kind: 'same', text: 'same' },
      { kind: 'removed', text: 'old 0' },
    ]);
  });
});
