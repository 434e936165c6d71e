import { jsonOf, plain, renderTable } from './print';

describe('what others named', () => {
  it.each([
    ['a\u202egpj.exe', String.raw`a\u{202e}gpj.exe`],
    ['soft\u00adhyphen, \u200b\u{e0041}unseen', String.raw`soft\u{ad}hyphen, \u{200b}\u{e0041}unseen`],
    ['two\u2028lines', String.raw`two\u{2028}lines`],
    ['half \ud800', String.raw`half \u{d800}`],
    ['\u001b[2J and\r\nmore', ' [2J and more'],
    ['Zoë 😀 עברית', 'Zoë 😀 עברית'],
  ])('%j is shown as %s', (text, shown) => expect(plain(text)).toBe(shown));
});

describe('JSON', () => {
  it.each([
    ['a\u202egpj.exe', String.raw`"a\u202egpj.exe"`],
    ['soft\u00adhyphen, \u200b\u{e0041}unseen', String.raw`"soft\u00adhyphen, \u200b\udb40\udc41unseen"`],
    ['two\u2028lines\nand \u009b2J', String.raw`"two\u2028lines\nand \u009b2J"`],
    ['half \ud800 \u007f', String.raw`"half \ud800 \u007f"`],
    [{ 'name\u2066': 'Zoë 😀 עברית' }, String.raw`{"name\u2066":"Zoë 😀 עברית"}`],
  ])('of %j is the same value with what is not seen escaped', (value, text) => {
    expect(jsonOf(value)).toBe(text);
    expect(JSON.parse(jsonOf(value, 2))).toEqual(value);
  });
});

it('a table cuts long names, whatever letters they have, and leaves the last column', () => {
  const letter = 'e\u0301';
  const rows = [
    { name: letter.repeat(40), id: '1' },
    { name: letter.repeat(41), id: 'x'.repeat(60) },
  ];
  expect(renderTable(rows, ['name', 'id'], '')).toBe(
    [`NAME${' '.repeat(36)}  ID`, `${letter.repeat(40)}  1`, `${letter.repeat(39)}…  ${'x'.repeat(60)}`].join('\n'),
  );
});
