import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { AuthError } from '@sluice/errors';
import { encodePart, tokenIssuer } from '@sluice/testkit';
import type { JwtKey } from '@sluice/types';
import { callerFinder, type CallerSource } from './find-caller';

const kid = '0190a4c2-7b5e-7000-8000-000000000001';
const issuer = tokenIssuer();
const stored: JwtKey = {
  id: kid,
  projectId: 'p1',
  label: 'ci',
  algorithm: 'RSA',
  publicKeyPem: issuer.publicKeyPem,
  active: true,
  createTime: '2026-11-21T00:00:00.000Z',
  updateTime: '2026-11-21T00:00:00.000Z',
};

/** The finder beside a store that knows these keys, and counts how often it is asked. */
function finder(keys = new Map([[kid, stored]]), clock: Pick<CallerSource, 'now' | 'wallClock'> = {}) {
  const asked: string[] = [];
  const findNamed = (keyId: string) => {
    asked.push(keyId);
    return Promise.resolve(keys.get(keyId));
  };
  const findPresented = () => Promise.reject(new Error('a token is no API key'));
  const source = { store: { apiKeys: { findPresented }, jwtKeys: { findNamed } }, ...clock };
  return { asked, find: callerFinder(source as unknown as CallerSource) };
}

afterEach(() => jest.restoreAllMocks());

const detailOf = async (token: string): Promise<string> => {
  const error: unknown = await Promise.resolve(finder().find(token)).catch((thrown: unknown) => thrown);
  if (error instanceof AuthError) return error.detail;
  throw new Error(`accepted: ${JSON.stringify(error)}`);
};
const now = Math.floor(Date.now() / 1_000);
const body = encodePart({ groupRef: 'g', consumerRef: 'c', sub: 'c', iat: now, exp: now + 60 });

describe('a bearer token', () => {
  it('speaks for one group of the project of its key', async () => {
    expect(await finder().find(issuer.issue(kid, { groupRef: 'acme', consumerRef: 'ann' }))).toEqual({
      kind: 'token',
      keyId: kid,
      projectId: 'p1',
      scopes: [],
      groupRef: 'acme',
      consumerRef: 'ann',
    });
  });

  it('may live 600 s, and its clock may be 5 s away', async () => {
    // The clock is stopped: a pause of a second would end the third one.
    jest.spyOn(Date, 'now').mockReturnValue(now * 1_000);
    for (const claims of [
      { iat: now, exp: now + 600 },
      { iat: now + 4, exp: now + 300 },
      { iat: now - 500, exp: now - 3 },
      { iat: now - 10, nbf: now + 2, exp: now + 100 },
    ]) {
      expect(await finder().find(issuer.issue(kid, claims))).toMatchObject({ kind: 'token' });
    }
  });
});

// Two names that are stored as one would be one group.
describe('text that is no valid Unicode in a token', () => {
  it.each(['groupRef', 'consumerRef', 'sub'])('is refused in %s, escaped', async (name) => {
    const refusal = `must have the claim ${name}, a text of 1 to 255 characters of valid Unicode`;
    for (const value of ['tenant-\udfff', '\ud83d-tenant'])
      expect(await detailOf(issuer.issue(kid, { [name]: value }))).toContain(refusal);
    expect(await finder().find(issuer.issue(kid, { [name]: 'tenant-\u{1f600}' }))).toMatchObject({ kind: 'token' });
  });

  it.each([
    ['half of a pair', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xe9]],
  ])('is refused as bytes: %s', async (_case, bytes) => {
    const text = encodePart({ groupRef: 'tenant-?', consumerRef: 'c', sub: 'c', iat: now, exp: now + 60 });
    const claims = Buffer.from(text, 'base64url');
    const at = claims.indexOf('?');
    const broken = Buffer.concat([claims.subarray(0, at), Buffer.from(bytes), claims.subarray(at + 1)]);
    const signed = `${encodePart({ alg: 'RS256', kid })}.${broken.toString('base64url')}`;
    const signature = sign('RSA-SHA256', Buffer.from(signed), issuer.privateKey).toString('base64url');
    expect(await detailOf(`${signed}.${signature}`)).toContain('its claims are no JSON object in UTF-8');
  });
});

describe('[sec-5] is refused', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const hmacOf = (head: string) =>
    `${head}.${body}.${createHmac('sha256', issuer.publicKeyPem).update(`${head}.${body}`).digest('base64url')}`;
  const selfSigned = (header: object) => {
    const signed = `${encodePart({ alg: 'RS256', kid, ...header })}.${body}`;
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const good = issuer.issue(kid);
  const [head, claims, signature] = good.split('.') as [string, string, string];

  it.each<[string, string, RegExp]>([
    ['alg none', `${encodePart({ alg: 'none', kid })}.${body}.`, /base64url parts|RS256/],
    ['alg none with a signature', `${encodePart({ alg: 'none', kid })}.${body}.AAAA`, /alg RS256/],
    ['alg None', `${encodePart({ alg: 'None', kid })}.${body}.AAAA`, /alg RS256/],
    ['the public key as a shared secret', hmacOf(encodePart({ alg: 'HS256', kid })), /alg RS256/],
    ['the public key as a shared secret under RS256', hmacOf(encodePart({ alg: 'RS256', kid })), /must be signed by/],
    ['RS512', issuer.issue(kid, {}, { alg: 'RS512' }), /alg RS256/],
    ['PS256', issuer.issue(kid, {}, { alg: 'PS256' }), /alg RS256/],
    ['algorithms in a list', issuer.issue(kid, {}, { alg: ['RS256'] }), /alg RS256/],
    ['no alg', issuer.issue(kid, {}, { alg: undefined }), /alg RS256/],
    ['a key of its own', selfSigned({ jwk }), /may not have jwk/],
    ['an address of keys', selfSigned({ jku: 'https://keys.example/jwks.json' }), /may not have jku/],
    ['an address of a certificate', selfSigned({ x5u: 'https://keys.example/c.pem' }), /may not have x5u/],
    ['a certificate', selfSigned({ x5c: ['MIIB'] }), /may not have x5c/],
    ['a member that must be understood', issuer.issue(kid, {}, { crit: ['exp'] }), /may not have crit/],
    ['another signer', selfSigned({}), /must be signed by/],
    ['no kid', issuer.issue('', {}, { kid: undefined }), /must have a kid/],
    ['a kid that is no text', issuer.issue('', {}, { kid: { $ne: null } }), /must have a kid/],
    ['a kid that is no id', issuer.issue("x' or '1'='1"), /must be signed by/],
    ['an unknown kid', issuer.issue('0190a4c2-7b5e-7000-8000-00000000ffff'), /must be signed by/],
    ['other claims under the signature', `${head}.${body}.${signature}`, /must be signed by/],
    ['another header above it', `${encodePart({ kid, alg: 'RS256' })}.${claims}.${signature}`, /must be signed by/],
    ['a signature cut short', `${head}.${claims}.${signature.slice(0, -8)}`, /must be signed by/],
    ['no signature', `${head}.${claims}.`, /base64url parts/],
    ['padding', `${head}=.${claims}.${signature}`, /base64url parts/],
    ['parts that are no JSON', 'aGVsbG8.d29ybGQ.IQ', /base64url parts/],
    ['a list as claims', `${encodePart({ alg: 'RS256', kid })}.${encodePart([1])}.AAAA`, /claims are no JSON object/],
    ['9,000 characters', `${head}.${claims}.${'A'.repeat(9_000)}`, /8192 characters/],
  ])('%s', async (_case, token, rule) => expect(await detailOf(token)).toMatch(rule));

  it.each<[string, object, RegExp]>([
    ['601 s of life', { iat: now, exp: now + 601 }, /600 s .* lives 601 s/],
    ['an end before its beginning', { iat: now + 3, exp: now }, /exp after its iat/],
    ['a token that has expired', { iat: now - 100, exp: now - 7 }, /has expired/],
    ['a token of the future', { iat: now + 60, exp: now + 100 }, /not valid yet/],
    ['a token that begins later', { nbf: now + 60 }, /not valid yet/],
    ['no exp', { exp: undefined }, /claim exp/],
    ['no iat', { iat: undefined }, /claim iat/],
    ['an exp as text', { exp: String(now + 60) }, /claim exp/],
    ['no group', { groupRef: undefined }, /claim groupRef/],
    ['an empty group', { groupRef: '' }, /claim groupRef/],
    ['many groups', { groupRef: ['a', 'b'] }, /claim groupRef/],
    ['a group with NUL', { groupRef: 'a\0b' }, /claim groupRef/],
    ['a long group', { groupRef: 'g'.repeat(256) }, /claim groupRef/],
    ['no consumer', { consumerRef: undefined }, /claim consumerRef/],
    ['no subject', { sub: undefined }, /claim sub/],
  ])('%s', async (_case, changed, rule) => expect(await detailOf(issuer.issue(kid, changed))).toMatch(rule));

  // Nobody learns from the reply which ids of keys exist.
  it('in the same words for an unknown key and for a signature that does not fit', async () => {
    const unknown = await detailOf(issuer.issue('0190a4c2-7b5e-7000-8000-00000000ffff'));
    expect(await detailOf(selfSigned({}))).toBe(unknown);
  });
});

describe('[sec-7] a key of tokens', () => {
  it('that is revoked is out of force within a second; it is asked for once meanwhile', async () => {
    const keys = new Map([[kid, stored]]);
    let ms = 5_000;
    const { find, asked } = finder(keys, { now: () => ms });
    const token = issuer.issue(kid);
    await Promise.all([find(token), find(token), find(issuer.issue(kid, { groupRef: 'other' }))]);
    expect(asked).toHaveLength(1);
    keys.delete(kid);
    ms += 1_000;
    await expect(find(token)).rejects.toThrow(AuthError);
  });

  it('does not outlive the token: exp is looked at with each request', async () => {
    let wall = now * 1_000;
    const { find } = finder(undefined, { wallClock: () => wall });
    const token = issuer.issue(kid, { iat: now, exp: now + 10 });
    expect(await find(token)).toBeDefined();
    wall += 15_001;
    await expect(find(token)).rejects.toThrow('has expired');
  });
});
