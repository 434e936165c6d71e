import { generateKeyPairSync } from 'node:crypto';
import { tokenIssuer } from '@sluice/testkit';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
beforeAll(async () => {
  project = await management.newProject();
});

const issuer = tokenIssuer();
const keys = () => `/v1/projects/${project.id}/jwt-keys`;
const register = async (label = 'ci'): Promise<string> => {
  const sent = { label, algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const reply = await management.as(project.key).post(keys()).send(sent).expect(201);
  return (reply.body as { kid: string }).kid;
};

describe('201 POST jwt-keys', () => {
  it('answers the kid alone, and shows the key afterwards', async () => {
    const sent = { label: 'browser', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
    const { body } = await management.as(project.key).post(keys()).send(sent).expect(201);
    expect(body).toEqual({ kid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) });
    const { kid } = body as { kid: string };
    const shown = await management.as(project.key).get(`${keys()}/${kid}`).expect(200);
    expect(shown.body).toEqual({
      id: kid,
      projectId: project.id,
      label: 'browser',
      algorithm: 'RSA',
      publicKeyPem: issuer.publicKeyPem,
      active: true,
      createTime: expect.any(String),
      updateTime: expect.any(String),
      createdBy: expect.stringMatching(/^builder:/),
      createdByLabel: 'test',
    });
    const listed = (await management.as(project.key).get(keys()).expect(200)).body as { id: string }[];
    expect(listed.map(({ id }) => id)).toContain(kid);
  });

  // Whatever else the text holds must not be kept, and surely not shown to whoever may read.
  it('keeps the public key alone', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const sent = { label: 'x', algorithm: 'RS256', publicKeyPem: `${pkcs1}${secret}` };
    const { kid } = (await management.as(project.key).post(keys()).send(sent).expect(201)).body as { kid: string };
    const { body } = await management.as(project.key).get(`${keys()}/${kid}`).expect(200);
    expect(body).toMatchObject({ publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() });
  });
});

describe('400 POST jwt-keys', () => {
  const pemOf = (key: { export(options: { type: 'spki'; format: 'pem' }): string | Buffer }) =>
    key.export({ type: 'spki', format: 'pem' }).toString();
  const rsa = (modulusLength: number, publicExponent = 65_537) =>
    pemOf(generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey);
  const privatePem = issuer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it.each<[string, object, string, RegExp]>([
    ['a short key', { publicKeyPem: rsa(1_024) }, 'publicKeyPem', /2048 to 4096 bits; this one has 1024/],
    ['a small exponent', { publicKeyPem: rsa(2_048, 3) }, 'publicKeyPem', /public exponent/],
    [
      'an elliptic curve',
      { publicKeyPem: pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey) },
      'publicKeyPem',
      /RSA key; this one is ec/,
    ],
    [
      'RSA-PSS',
      { publicKeyPem: pemOf(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey) },
      'publicKeyPem',
      /RSA key; this one is rsa-pss/,
    ],
    ['a private key', { publicKeyPem: privatePem }, 'publicKeyPem', /PUBLIC KEY/],
    ['a broken text', { publicKeyPem: '-----BEGIN PUBLIC KEY-----\nAAAA' }, 'publicKeyPem', /RSA public key in PEM/],
    ['another algorithm', { algorithm: 'HS256' }, 'algorithm', /RS256/],
  ])('names %s', async (_case, changed, name, rule) => {
    const sent = { label: 'x', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem, ...changed };
    const reply = await management.as(project.key).post(keys()).send(sent).expect(400);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.body).toMatchObject({
      code: 'request.invalid',
      issues: [{ name, detail: expect.stringMatching(rule) }],
    });
    expect(reply.text).not.toContain('BEGIN PRIVATE');
  });
});

describe('PATCH jwt-keys/{keyId}', () => {
  it('200 changes what the mask names, and moves updateTime', async () => {
    const kid = await register();
    const sent = { updateMask: ['active'], jwtKey: { active: false, label: 'ignored' } };
    const { body } = await management.as(project.key).patch(`${keys()}/${kid}`).send(sent).expect(200);
    expect(body).toMatchObject({ id: kid, active: false, label: 'ci' });
    const { createTime, updateTime } = body as { createTime: string; updateTime: string };
    expect(Date.parse(updateTime)).toBeGreaterThan(Date.parse(createTime));
    const all = (await management.as(project.key).get(keys())).body as object[];
    const active = (await management.as(project.key).get(`${keys()}?active=true`)).body as { id: string }[];
    expect(active.map(({ id }) => id)).not.toContain(kid);
    expect(((await management.as(project.key).get(`${keys()}?active=false`)).body as object[]).length).toBe(all.length);
  });
});
