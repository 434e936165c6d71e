import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { DefectError } from '@sluice/errors';
import { sealValue, unsealValue, type SealingKeys } from './live-credentials';

const canary = 'canary-8b7f-secret-token';
const credentials = { accessToken: canary, refreshToken: `${canary}-refresh` };
const [first, second] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))];
const connection = (id: string) => ({ noun: 'connection', id }) as const;
const app = (id: string) => ({ noun: 'provider app', id }) as const;

function keysOf(ring: Record<string, KeyObject>): SealingKeys {
  return { currentId: Object.keys(ring)[0] ?? '', key: (id) => ring[id] };
}

/** What a log line or a reply could show of an error. */
function shown(error: unknown): string {
  const { message, stack, detail, meta, remedy, cause } = error as DefectError;
  return JSON.stringify({ message, stack, detail, meta, remedy, cause: String(cause) });
}

function failureOf(work: () => unknown): DefectError {
  try {
    work();
  } catch (error) {
    return error as DefectError;
  }
  throw new Error('nothing was thrown');
}

describe('credentials of a connection', () => {
  it('opens what it sealed, and seals differently each time', () => {
    const keys = keysOf({ k1: first });
    const [once, again] = [
      sealValue(keys, connection('c1'), credentials),
      sealValue(keys, connection('c1'), credentials),
    ];
    expect(unsealValue(keys, connection('c1'), once.text)).toEqual(credentials);
    expect(once.text).not.toBe(again.text);
    expect(once.text).toMatch(/^v1\.k1\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
    expect(once.keyId).toBe('k1');
    expect(Buffer.from(once.text).toString()).not.toContain(canary);
  });

  it('opens with an older key of the ring and seals with the current one', () => {
    const old = sealValue(keysOf({ k1: first }), connection('c1'), credentials);
    const rotated = keysOf({ k2: second, k1: first });
    expect(unsealValue(rotated, connection('c1'), old.text)).toEqual(credentials);
    expect(sealValue(rotated, connection('c1'), credentials).keyId).toBe('k2');
  });

  // Whoever can write to the database must not be able to use one customer's access for another.
  it('refuses ciphertext that belongs to another connection', () => {
    const keys = keysOf({ k1: first });
    const other = sealValue(keys, connection('c2'), credentials);
    const failure = failureOf(() => unsealValue(keys, connection('c1'), other.text));
    expect(failure).toBeInstanceOf(DefectError);
    expect(failure.detail).toContain('connection c1');
  });

  it.each([2, 3, 4])('refuses ciphertext whose part %i was altered', (part) => {
    const keys = keysOf({ k1: first });
    const parts = sealValue(keys, connection('c1'), credentials).text.split('.');
    const altered = parts.map((text, at) => {
      return at === part ? text.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')) : text;
    });
    expect(() => unsealValue(keys, connection('c1'), altered.join('.'))).toThrow(DefectError);
  });

  it.each(['', 'plain text', 'v0.k1.a.b.c', 'v1.k1.a.b', 'v1.k1.a.b.c.d', 'v1.k1.AAAA.AAAA.AAAA'])(
    'refuses %j',
    (text) => {
      expect(() => unsealValue(keysOf({ k1: first }), connection('c1'), text)).toThrow(DefectError);
    },
  );

  it('names the id of a key that is not in the ring, and how to mend it', () => {
    const { text } = sealValue(keysOf({ retired: first }), connection('c1'), credentials);
    const failure = failureOf(() => unsealValue(keysOf({ k2: second }), connection('c1'), text));
    expect(failure.code).toBe('service.config-invalid');
    expect(failure.detail).toContain('"retired"');
    expect(failure.remedy).toContain('Add the key');
  });

  it('shows no secret, no key and no ciphertext in any error', () => {
    const { text } = sealValue(keysOf({ k1: first }), connection('c1'), credentials);
    const wrongKey = keysOf({ k1: second });
    const failures = [
      failureOf(() => unsealValue(wrongKey, connection('c1'), text)),
      failureOf(() => unsealValue(keysOf({ k1: first }), connection('c2'), text)),
      failureOf(() => unsealValue(keysOf({ k9: first }), connection('c1'), text)),
      failureOf(() => unsealValue(keysOf({ k1: first }), connection('c1'), canary)),
      failureOf(() => sealValue(keysOf({}), connection('c1'), credentials)),
    ];
    for (const failure of failures) {
      expect(shown(failure)).not.toContain(canary);
      expect(shown(failure)).not.toContain(text.split('.')[4]);
      expect(shown(failure)).not.toContain(first.export().toString('base64'));
    }
  });
});

describe('the client secret of an app', () => {
  const keys = keysOf({ k1: first });

  it('opens what it sealed for the app, and shows nothing of it', () => {
    const sealed = sealValue(keys, app('app-1'), canary);
    expect(unsealValue(keys, app('app-1'), sealed.text)).toBe(canary);
    expect(sealed.text).not.toContain(canary);
  });

  // Ids are unique, but nothing rests on that: an app's secret does not open as a connection's, either way round.
  it('is bound to the app, and to being an app', () => {
    const failures = [
      failureOf(() => unsealValue(keys, app('app-2'), sealValue(keys, app('app-1'), canary).text)),
      failureOf(() => unsealValue(keys, connection('app-1'), sealValue(keys, app('app-1'), canary).text)),
      failureOf(() => unsealValue(keys, app('c1'), sealValue(keys, connection('c1'), credentials).text)),
    ];
    for (const failure of failures) expect(failure).toMatchObject({ code: 'service.defect' });
    expect(failures[0]?.detail).toContain('provider app app-2');
  });
});
