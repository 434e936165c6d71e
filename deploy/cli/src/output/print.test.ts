import { plain } from './print';

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
