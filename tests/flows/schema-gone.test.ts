import { servicePorts, type ProcessName } from '@sluice/local';
import { openDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import { type EmbeddedStack, startEmbeddedStack } from '../harness/embedded-stack';

const services: readonly ProcessName[] = ['management', 'search', 'write-gateway', 'batcher', 'executor'];

let stack: EmbeddedStack;
beforeAll(async () => {
  stack = await startEmbeddedStack();
});
afterAll(() => stack.stop());

const readinessOf = async (name: ProcessName) => {
  const reply = await fetch(`http://127.0.0.1:${stack.portBase + servicePorts[name]}/readyz`);
  const { checks } = (await reply.json()) as { checks: { postgres: string } };
  return [reply.status, checks.postgres] as const;
};

// A Postgres that came back empty answers every question but ours, and the Service of Kubernetes would go on sending requests there.
it('no service is ready while its database has not the schema, and each is again when it has', async () => {
  const database = openDatabase({ url: stack.databaseUrl, poolMax: 1, applicationName: 'schema-gone-test' });
  const allBecome = (status: number) =>
    until(`${status} of all`, async () => {
      const found = await Promise.all(services.map(readinessOf));
      return found.every(([code]) => code === status) ? found : undefined;
    });
  await allBecome(200);
  await database.raw('alter schema public rename to lost');
  const gone = await allBecome(503);
  await database.raw('alter schema lost rename to public');
  const back = await allBecome(200);
  await database.destroy();
  expect(gone).toEqual(services.map(() => [503, 'has not the schema of this version']));
  expect(back).toEqual(services.map(() => [200, 'ok']));
});
