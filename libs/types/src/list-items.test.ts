import { joinList, listItemRule } from './list-items';

describe('listItemRule', () => {
  it.each([['a'], ['a b'], [' '], ['[object Object]'], [0], [-1.5], [true], [false]])('%p can be joined', (item) => {
    expect(listItemRule(item, ';')).toBeUndefined();
  });

  it.each([[''], [';'], ['a;b'], [null], [undefined], [{}], [['a']]])('%p cannot, and the rule says why', (item) => {
    expect(listItemRule(item, ';')).toMatch(
      /^must be .* has no ";".* joined by ";": send each value as an item of its own/,
    );
  });

  it('goes by the separator of the provider', () => {
    expect(listItemRule('a;b', ',')).toBeUndefined();
    expect(listItemRule('a,b', ',')).toContain('","');
  });
});

describe('joinList', () => {
  it.each<[unknown[], unknown]>([
    [['a', 1, false], 'a;1;false'],
    [['a'], 'a'],
    [[], ''],
    [
      ['a', { b: 1 }],
      ['a', { b: 1 }],
    ],
    [[null], [null]],
  ])('%j becomes %j', (items, joined) => expect(joinList(items, ';')).toEqual(joined));
});
