import { until } from '@sluice/testkit';
import { startGateway } from './_gateway';

it('a request in flight is finished, and what was accepted is announced', async () => {
  const gateway = await startGateway({ env: { SLUICE_CALL_TIMEOUT_MS: '20000' } });
  const seed = await gateway.seed();
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const answer = gateway.hubspot.answer;
  gateway.hubspot.answer = async (call) => {
    await held;
    return await answer(call);
  };
  const create = { type: 'create', record: { email: 'a@x.com' } };
  const inFlight = gateway.write(seed, create).then((reply) => reply);
  await until('the provider call', () => gateway.hubspot.calls[0]);
  const accepted = await gateway.write(seed, { ...create, mode: 'asynchronous' }).expect(200);
  const stopped = gateway.stop();
  letGo();
  expect((await inFlight).status).toBe(200);
  await stopped;
  const { operationId } = accepted.body as { operationId: string };
  expect(gateway.announced.ready.map((write) => write.operationId)).toEqual([operationId]);
});
