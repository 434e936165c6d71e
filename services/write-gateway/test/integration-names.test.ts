import { startGateway, type RunningGateway } from './_gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const record = { email: 'zoe@example.com' };
const asynchronous = { type: 'create', mode: 'asynchronous', record };

it.each([
  ['a synchronous write', { type: 'create', record }],
  ['an asynchronous one', asynchronous],
  ['an auto-batched one', { ...asynchronous, autoBatchPolicy: { maxDelayMinutes: 5 } }],
])('%s takes the integration by its name: the operation has its id', async (_case, body) => {
  const seed = await gateway.seed();
  const path = seed.path.replace(seed.integrationId, 'crm');
  const reply = await gateway.write({ ...seed, path }, body).expect(200);
  const { operationId } = reply.body as { operationId: string };
  expect(await gateway.context.store.operations.find(seed.projectId, operationId)).toMatchObject({
    integrationId: seed.integrationId,
    installationId: seed.installationId,
  });
});

it('so does a dry run', async () => {
  const seed = await gateway.seed();
  const path = `${seed.path.replace(seed.integrationId, 'crm')}?dryRun=true`;
  expect((await gateway.write({ ...seed, path }, { type: 'create', record }).expect(200)).body).toMatchObject({
    plan: [{ field: 'email', sent: true }],
  });
});

// Writes of one auto-batch share an operation, whatever their requests called the integration.
it('id and name lead to the same auto-batch', async () => {
  const seed = await gateway.seed();
  const body = { ...asynchronous, autoBatchPolicy: { maxDelayMinutes: 5 } };
  const named = { ...seed, path: seed.path.replace(seed.integrationId, 'crm') };
  const [one, two] = [await gateway.write(seed, body).expect(200), await gateway.write(named, body).expect(200)];
  expect(two.body).toEqual(one.body);
});
