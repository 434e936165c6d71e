import { Writable } from 'node:stream';
import { ProviderError } from '@sluice/errors';
import { createLogger, silentLogger } from './logger';

function capture(level?: string) {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { logger: createLogger({ service: 'executor', destination, ...(level ? { level } : {}) }), lines };
}

const only = (lines: string[]): Record<string, unknown> => {
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
};

describe('createLogger', () => {
  it('writes one JSON line with level, time, service, fields and event', () => {
    const { logger, lines } = capture();
    logger.info({ operationId: 'o1', count: 3 }, 'write.attempted');
    const line = only(lines);
    expect(line).toMatchObject({
      level: 'info',
      service: 'executor',
      operationId: 'o1',
      count: 3,
      event: 'write.attempted',
    });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(lines[0]).toMatch(/\n$/);
  });

  it('[sec-41] keeps a text with line breaks inside its line', () => {
    const { logger, lines } = capture();
    const groupRef = 'g1\n{"level":"error","event":"forged"}\u2028\r\n';
    logger.info({ groupRef }, 'write.accepted');
    expect(only(lines)).toMatchObject({ level: 'info', groupRef, event: 'write.accepted' });
    expect(lines.join('').match(/[\r\n]/g)).toEqual(['\n']);
  });

  it('leaves out what is below the level', () => {
    const { logger, lines } = capture('warn');
    logger.debug({}, 'a.b');
    logger.info({}, 'a.b');
    expect(lines).toEqual([]);
    logger.warn({}, 'a.b');
    logger.error({}, 'a.b');
    expect(lines).toHaveLength(2);
  });

  it('refuses an unknown level', () => {
    expect(() => createLogger({ service: 's', level: 'loud' })).toThrow(RangeError);
  });

  // No secret may reach a log line, whatever depth or spelling (security checklist 43).
  it('masks secrets of its fields and of a child', () => {
    const { logger, lines } = capture();
    logger.child({ apiKey: 'canary-1' }).info(
      {
        connection: { oauth2AuthorizationCode: { accessToken: { token: 'canary-2' }, refreshToken: 'canary-3' } },
        headers: { Authorization: 'Bearer canary-4444', 'X-Api-Key': 'canary-5' },
        list: [{ client_secret: 'canary-6', password: 'canary-7' }],
        error: new Error('connect postgres://sluice:canary-8@db/sluice failed'),
        url: 'https://x/y?access_token=canary-9',
      },
      'connection.tried',
    );
    const text = lines.join('');
    expect(text).not.toContain('canary');
    expect(text).toContain('connection.tried');
  });

  it('describes an error with its code, meta and cause', () => {
    const { logger, lines } = capture();
    const error = new ProviderError({
      class: 'quota',
      detail: 'used up',
      meta: { lane: 'l1' },
      cause: new Error('429'),
    });
    logger.warn({ error }, 'call.failed');
    expect(only(lines)).toMatchObject({
      error: { code: 'provider.quota-exhausted', retry: 'backoff', meta: { lane: 'l1' }, cause: { message: '429' } },
    });
  });

  it('never throws for what it is given', () => {
    const { logger, lines } = capture();
    const cycle: Record<string, unknown> = { big: 10n, at: new Date(0), broken: new Date(Number.NaN) };
    cycle['self'] = cycle;
    logger.info({ cycle, bytes: Buffer.from('abc'), map: new Map([['token', 'canary']]), set: new Set([1]) }, 'a.b');
    const line = only(lines);
    expect(line).toMatchObject({ bytes: '[3 bytes]', set: [1], cycle: { big: '10', at: '1970-01-01T00:00:00.000Z' } });
    expect(lines.join('')).not.toContain('canary');
  });
});

describe('silentLogger', () => {
  it('takes every call', () => {
    const logger = silentLogger.child({});
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      expect(logger[level]({}, 'a.b')).toBeUndefined();
    }
  });
});
