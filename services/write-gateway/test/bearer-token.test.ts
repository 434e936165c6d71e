import { tokenIssuer } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const issuer = tokenIssuer();
const register = async ({ projectId }: Seed): Promise<string> => {
  const { publicKeyPem } = issuer;
  return (await gateway.context.store.jwtKeys.create({ projectId, label: 'test', publicKeyPem })).id;
};
const create = (groupRef: string) => ({ groupRef, type: 'create', record: { email: 'a@x.com' }, mode: 'asynchronous' });
const send = (seed: Seed, token: string, body: object) =>
  gateway.post(seed.path).set('Authorization', `Bearer ${token}`).send(body);

describe('a bearer token', () => {
  // The replies that are kept by key would be a way around the group, and a way to take another group's keys.
  it('[sec-40] has idempotency keys of its own', async () => {
    const seed = await gateway.seed();
    const body = create(seed.groupRef);
    const kid = await register(seed);
    const kept = await gateway.write(seed, body).set('Idempotency-Key', 'k').expect(200);
    const theirs = issuer.issue(kid, { groupRef: 'another' });
    await send(seed, theirs, body).set('Idempotency-Key', 'k').expect(404);
    const own = issuer.issue(kid, { groupRef: seed.groupRef });
    const first = await send(seed, own, body).set('Idempotency-Key', 'k').expect(200);
    expect(first.body).not.toEqual(kept.body);
    const again = await send(seed, own, body).set('Idempotency-Key', 'k').expect(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  // Long before the gateway forgets the key: the accepting statement checks it.
  it('[sec-7] writes nothing more once its key is switched off', async () => {
    const seed = await gateway.seed();
    const kid = await register(seed);
    const token = issuer.issue(kid, { groupRef: seed.groupRef });
    await send(seed, token, create(seed.groupRef)).expect(200);
    await gateway.context.store.jwtKeys.update(seed.projectId, kid, { active: false });
    const rows = await gateway.countRows();
    const reply = await send(seed, token, create(seed.groupRef));
    expect([401, 503]).toContain(reply.status);
    expect(await gateway.countRows()).toEqual(rows);
  });
});
