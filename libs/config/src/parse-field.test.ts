import type { EnvField } from './env-field';
import { parseField } from './parse-field';

const value = (field: EnvField, text: string): unknown => {
  const result = parseField(field, text);
  return result.ok ? result.value : `refused: ${result.rule}`;
};
const doc = 'd';

describe('string', () => {
  it.each([
    [{}, ' a b \n', 'a b'],
    [{ pattern: 'a|b' }, 'a', 'a'],
    [{ pattern: 'a|b' }, 'ab', 'refused: must match a|b'],
    [{}, '', 'refused: is empty, but must be a text'],
  ])('%j %j', (more, text, expected) => {
    expect(value({ type: 'string', doc, ...more }, text)).toBe(expected);
  });
});

describe('url', () => {
  it.each([
    ['https://host/path/', 'https://host/path'],
    ['http://host', 'http://host'],
    ['ftp://host', 'refused: must be a URL of http or https'],
    ['host:80', 'refused: must be a URL of http or https'],
    ['/path', 'refused: must be a URL of http or https'],
  ])('%s', (text, expected) => {
    expect(value({ type: 'url', doc }, text)).toBe(expected);
  });

  it('takes the protocols it names', () => {
    const field: EnvField = { type: 'url', protocols: ['redis'], doc };
    expect(value(field, 'redis://h:1/')).toBe('redis://h:1/');
    expect(value(field, 'http://h')).toMatch(/^refused/);
  });
});

describe('integer and number', () => {
  it.each([
    ['integer', '1', 1],
    ['integer', '-1', 'refused: must be an integer from 0 to 10'],
    ['integer', '0', 0],
    ['integer', '10', 10],
    ['integer', '11', 'refused: must be an integer from 0 to 10'],
    ['integer', '1.0', 'refused: must be an integer from 0 to 10'],
    ['number', '1.5', 1.5],
    ['number', '10.1', 'refused: must be a number from 0 to 10'],
    ['number', 'NaN', 'refused: must be a number from 0 to 10'],
    ['number', 'Infinity', 'refused: must be a number from 0 to 10'],
  ] as const)('%s %s', (type, text, expected) => {
    expect(value({ type, min: 0, max: 10, doc }, text)).toBe(expected);
  });

  it('refuses an integer that is not exact', () => {
    expect(value({ type: 'integer', doc }, '9007199254740993')).toBe('refused: must be an integer');
    expect(value({ type: 'integer', min: 1, doc }, '0')).toBe('refused: must be an integer of at least 1');
    expect(value({ type: 'integer', max: 1, doc }, '2')).toBe('refused: must be an integer of at most 1');
  });
});

describe('boolean', () => {
  it.each([
    ['on', true],
    ['TRUE', true],
    ['1', true],
    ['off', false],
    ['False', false],
    ['0', false],
    ['yes', 'refused: must be on or off'],
    ['', 'refused: is empty, but must be on or off'],
  ])('%s', (text, expected) => {
    expect(value({ type: 'boolean', doc }, text)).toBe(expected);
  });
});

describe('list', () => {
  it('of networks names the one that is none', () => {
    const field = { type: 'list', hasNetworks: true, default: [], doc } as const;
    expect(value(field, '10.0.0.0/8, fd00::/8')).toEqual(['10.0.0.0/8', 'fd00::/8']);
    expect(value(field, '')).toEqual([]);
    for (const wrong of ['10.0.0.0/33', '999.0.0.0/8', 'proxy/8', '10.0.0.0'])
      expect(value(field, `10.0.0.0/8,${wrong}`)).toMatch(new RegExp(`^refused: .*'${wrong}' is no network such as`));
  });

  it('splits at commas and trims', () => {
    expect(value({ type: 'list', doc }, 'a, b')).toEqual(['a', 'b']);
  });

  it('is empty for an empty value, unless it is required', () => {
    expect(value({ type: 'list', default: ['x'], doc }, '')).toEqual([]);
    expect(value({ type: 'list', doc }, '')).toMatch(/^refused: is empty/);
  });

  it('refuses empty items and items without the pattern', () => {
    expect(value({ type: 'list', doc }, 'a,,b')).toMatch(/^refused/);
    expect(value({ type: 'list', pattern: '[a-z]', doc }, 'a,1')).toMatch(/item 2/);
  });
});

describe('failpoint', () => {
  it('keeps a valid spec as text and refuses another', () => {
    const field: EnvField = { type: 'failpoint', optional: true, doc };
    expect(value(field, 'gw.after_commit:throw:0.5')).toBe('gw.after_commit:throw:0.5');
    expect(value(field, 'nowhere:throw:1')).toMatch(/^refused: must name one of gw\.after_commit/);
  });
});
