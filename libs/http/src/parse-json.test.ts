import { ValidationError, type Issue } from '@sluice/errors';
import { limits } from '@sluice/types';
import { InboundError } from './problem-handler';
import { parseJson } from './read-body';

function refusalOf(text: string): { code: string; detail: string; issues: readonly Issue[] } {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof ValidationError) return { code: error.code, detail: error.detail, issues: error.issues };
    if (error instanceof InboundError) return { code: error.code, detail: error.detail, issues: [] };
    throw error;
  }
  throw new Error(`accepted: ${text.slice(0, 100)}`);
}

const pathsOf = (text: string) => refusalOf(text).issues.map((issue) => issue.name);

describe('parseJson', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '"x"',
    ' {"a":[1,{"b":"c\\"}{[:"}],"é":"\\u0000\\ud83d\\ude00"} ',
    '{"":1}',
    '[[],{},[{}]]',
  ])('gives what JSON.parse gives for %s', (text) => expect(parseJson(text)).toEqual(JSON.parse(text)));

  describe('malformed', () => {
    it.each([
      ['', 'line 1, column 1'],
      ['{', 'line 1, column 2'],
      ['{"a" 1}', 'line 1, column 6'],
      ['{\n  "a": tru\n}', 'line 2, column 8'],
      ['[1 2]', 'line 1, column 4'],
      ['{"a":01}', 'line 1, column 7'],
      ['"a\nb"', 'line 1, column 3'],
      ['"\\x"', 'line 1, column 2'],
      ['"abc', 'line 1, column 5'],
      ['{"a":1} x', 'line 1, column 9'],
    ])('%j is refused at %s', (text, position) => {
      expect(refusalOf(text)).toMatchObject({
        code: 'request.malformed-json',
        detail: expect.stringContaining(position),
      });
    });

    // The body may hold a token next to the mistake: V8's own message quotes it.
    it('never quotes the body', () => {
      expect(refusalOf('{"token":"canary-1" "x"}').detail).not.toContain('canary');
    });
  });

  describe('numbers', () => {
    it('names the path and the number as written', () => {
      const { code, issues } = refusalOf('{"batch":[{"record":{"a":1}},{"record":{"amount":12345678901234567890}}]}');
      expect(code).toBe('write.number-not-exact');
      expect(issues).toEqual([
        {
          in: 'body',
          name: 'batch[1].record.amount',
          detail: expect.stringContaining('string'),
          value: '12345678901234567890',
        },
      ]);
    });

    it.each(['{"apiKey":12345678901234567890}', '{"basicAuth":{"pin":12345678901234567890}}'])(
      'does not show one that is a secret: %s',
      (text) => {
        expect(refusalOf(text).issues).toHaveLength(1);
        expect(JSON.stringify(refusalOf(text))).not.toContain('123456');
      },
    );
  });

  describe('members', () => {
    it.each([
      ['{"r":{"x":1,"\\u0078":2}}', 'r.x'],
      ['[{"first name":1,"first name":2}]', '[0]["first name"]'],
    ])('[sec-29] %s has a name twice', (text, path) => expect(pathsOf(text)).toEqual([path]));

    it.each(['__proto__', 'constructor', 'prototype'])('[sec-30] refuses the name %s at any depth', (name) => {
      expect(pathsOf(`{"record":{"deep":[{"${name}":{"polluted":1}}]}}`)).toEqual([`record.deep[0].${name}`]);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });

    it('refuses NUL in names, not in values, and lone surrogates in both', () => {
      expect(pathsOf('{"a\\u0000b":1}')).toHaveLength(1);
      expect(pathsOf('{"a\\ud800":1}')).toHaveLength(1);
      expect(parseJson('{"a":"\\u0000"}')).toEqual({ a: '\0' });
      expect(pathsOf('{"a":"\\ud800"}')).toEqual(['a']);
    });

    it('[sec-29] takes 1 000 members in an object and refuses 1 001', () => {
      const object = (count: number) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n])));
      expect(parseJson(object(1_000))).toHaveProperty('f999');
      expect(pathsOf(`{"record":${object(1_001)}}`)).toEqual(['record.f1000']);
    });
  });

  describe('depth', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

    it('[sec-29] takes 32 levels and refuses 33', () => {
      expect(parseJson(nested(32))).toBeInstanceOf(Array);
      expect(refusalOf(nested(33))).toMatchObject({ code: 'request.invalid', detail: expect.stringContaining('32') });
    });
  });

  // A list of 1.6 million empty lists cost a gateway 29 s and 1.8 GB, of which JSON.parse took a hundredth.
  describe('[sec-29] bounds, before anything is parsed', () => {
    const bounds = { listItemsMax: 3, stringBytesMax: 9, valuesMax: 12 };
    const refused = (text: string) => {
      const parse = jest.spyOn(JSON, 'parse');
      try {
        parseJson(text, bounds);
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        // The explanation reads names and strings by JSON.parse, never the document.
        expect(parse).not.toHaveBeenCalledWith(text);
        return error.issues.map(({ name, detail, value }) => `${name} ${detail} (${String(value)})`);
      } finally {
        parse.mockRestore();
      }
      return [];
    };

    it.each([
      ['{"a":[1,2,3],"b":{"x":1,"y":2,"z":3,"w":4}}', []],
      ['{"a":"123456789"}', []],
      ['{"a":[1,2,3,4]}', ['a must have at most 3 items (list of more than 3)']],
      [
        '{"batch":[{},{"record":{"a b":[1,[],2,3]}}]}',
        ['batch[1].record["a b"] must have at most 3 items (list of more than 3)'],
      ],
      ['{"a":{"b":"1234567890"}}', ['a.b must have at most 9 bytes (text of 10 bytes)']],
      ['{"a":"ééééé"}', ['a must have at most 9 bytes (text of 10 bytes)']],
      ['[[[],[],[]],[[],[],[]],[[],[],[]]]', ['body must hold at most 12 values (more than 12)']],
    ])('%s', (text, issues) => expect(refused(text)).toEqual(issues));

    it('answers for megabytes of them within their scan', () => {
      const text = `{"record":{"a":[${'[],'.repeat(1_600_000)}[]]}}`;
      const startedAt = process.cpuUsage();
      expect(refused(text)).toEqual(['record.a must have at most 3 items (list of more than 3)']);
      expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(500);
    });
  });

  it('lists and texts of another body than a write are as long as the body may be', () => {
    const value = { list: Array(50_000).fill(1), text: 'x'.repeat(900_000) };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  it('lists a bounded number of faults', () => {
    expect(pathsOf(`[${'1e999,'.repeat(1_000)}1]`)).toHaveLength(limits.issuesMax);
  });

  // The quick scan and the slow explanation implement one grammar: JSON.parse is the reference for both.
  it('refuses exactly what JSON.parse refuses, on texts broken at random', () => {
    const seeds = ['{"a":[1,-2.5e3,"x\\n\\u00e9",true,null],"b":{"c":{},"d":[]}}', '[{"k":"v"},0,"",false]'];
    const wrong: string[] = [];
    const letters = '{}[]":,\\ \n0-.eu1atn\u0001';
    for (let n = 0; n < 20_000; n += 1) {
      const seed = seeds[n % seeds.length] ?? '';
      const at = Math.floor(Math.random() * seed.length);
      const letter = letters[Math.floor(Math.random() * letters.length)] ?? '';
      const text = seed.slice(0, at) + letter + seed.slice(at + (n % 2));
      const isValid = accepts(() => JSON.parse(text) as unknown);
      const code = accepts(() => parseJson(text)) ? 'accepted' : refusalOf(text).code;
      if ((code === 'request.malformed-json') === isValid) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });
});

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe('a lone surrogate', () => {
  it.each([String.raw`{"a":["x","\udfff y"]}`, String.raw`{"a":{"b":"\uDBFF"}}`, String.raw`"\ud800\u0041"`])(
    '%s is refused',
    (text) => {
      expect(() => parseJson(text)).toThrow(/lone surrogate/);
    },
  );

  it('is none in a pair, or behind an escaped backslash', () => {
    expect(parseJson(String.raw`["\ud83d\ude00","\\ud800"]`)).toEqual(['\u{1f600}', String.raw`\ud800`]);
  });
});
