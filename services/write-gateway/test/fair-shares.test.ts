import { sampleManifest } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway({ env: { SLUICE_BACKLOG_MAX: '20' } });

const record = { email: 'a@x.com' };
const single = { type: 'create', mode: 'asynchronous', record };
const batched = { ...single, autoBatchPolicy: { maxDelayMinutes: 5 } };

/** Two groups of one project. */
async function twoGroups(): Promise<{ hungry: Seed; other: Seed }> {
  const hungry = await gateway.seed({ groupRef: 'hungry' });
  const { projectId } = hungry;
  const manifest = { ...sampleManifest(), name: 'another' };
  return { hungry, other: await gateway.seed({ projectId, groupRef: 'other', manifest }) };
}

/** Sends it until it is refused. @returns how often it was accepted, and the refusal */
async function fill(seed: Seed, body: object) {
  for (let accepted = 0; ; accepted += 1) {
    const reply = await gateway.write(seed, body);
    if (reply.status !== 200) return { accepted, reply };
  }
}

describe('[sec-38] a group that sends more than its share', () => {
  it.each([
    ['single writes', single],
    ['auto-batched writes', batched],
  ])('is 429 for its %s, by name and number, and another group is let in', async (_, body) => {
    const { hungry, other } = await twoGroups();
    const { accepted, reply } = await fill(hungry, body);
    await gateway.write(other, single).expect(200);
    await gateway.write(other, batched).expect(200);
    expect(reply.status).toBe(429);
    expect(reply.headers['retry-after']).toBe('10');
    expect(reply.body).toMatchObject({ code: 'write.backlog-full', retryable: true, remedy: expect.any(String) });
    expect((reply.body as { detail: string }).detail).toMatch(
      /group "hungry" wait, and \d+ may: 80 % \(SLUICE_BACKLOG_GROUP_PERCENT\) .* of 20 \(SLUICE_BACKLOG_MAX\)/,
    );
    // What is being committed while a count is made is in neither of both.
    expect(Math.abs(accepted - 16)).toBeLessThanOrEqual(2);
    await gateway.write(hungry, { type: 'create', record }).expect(200);
  });
});
