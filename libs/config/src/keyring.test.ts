import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { parseKeyring } from './keyring';

const bytes = randomBytes(32);
const one = bytes.toString('base64');
const two = randomBytes(32).toString('base64url');

describe('parseKeyring', () => {
  it('reads base64 and base64url, the first key is current', () => {
    const result = parseKeyring(`new:${one}, old:${two}`);
    if (!result.ok) throw new Error(result.rule);
    expect(result.value.currentId).toBe('new');
    expect(result.value.ids).toEqual(['new', 'old']);
    expect(result.value.key('new')?.export()).toEqual(bytes);
    expect(result.value.key('old')?.export()).toHaveLength(32);
    expect(result.value.key('other')).toBeUndefined();
  });

  it.each([
    ['no id', one, /entry 1/],
    ['a short key', `a:${one},b:${randomBytes(31).toString('base64')}`, /32 bytes; entry 2 has 31/],
    ['an id twice', `a:${one},a:${two}`, /twice, at entry 2/],
    ['an empty entry', `a:${one},`, /entry 2/],
    ['other letters', 'a:%%%', /entry 1/],
  ])('refuses %s', (_, text, rule) => {
    const result = parseKeyring(text);
    expect(result).toMatchObject({ ok: false, rule: expect.stringMatching(rule) as string });
    expect(JSON.stringify(result)).not.toContain(one);
  });

  // A config object may end in a log line by accident.
  it('shows no key when it is printed or serialised', () => {
    const result = parseKeyring(`k:${one}`);
    expect(JSON.stringify(result) + inspect(result, { depth: 9, showHidden: true })).not.toContain(one);
    expect(inspect(result, { depth: 9 })).not.toContain(bytes.toString('hex').slice(0, 8));
  });
});
