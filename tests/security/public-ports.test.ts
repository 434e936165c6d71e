import { metricsUrlOf, type ProcessName } from '@sluice/local';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';

const services: readonly ProcessName[] = ['management', 'search', 'write-gateway', 'batcher', 'executor'];

const stack = sharedStack();
let customer: Customer;
beforeAll(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
  const create = (email: string, more: object = {}) => ({ type: 'create', record: { email }, ...more });
  await customer.write('contacts', create('ports-1@example.com'));
  const { operationId } = (await customer.write('contacts', create('ports-2@example.com', { mode: 'asynchronous' })))
    .body;
  await customer.ended(operationId);
  await customer.search('contacts', { email: 'ports-1@example.com' });
  // Refused, not found, unauthorized: paths and keys that a label might repeat.
  await fetch(`${stack.writeUrl}/projects/canary-project/integrations/canary/objects/canary`, { method: 'POST' });
  await fetch(`${stack.baseUrl}/projects/${customer.project.id}/canary-path`);
});

// Reliability 4.4, row 50. What a caller reaches shows how the service is, not what it does nor for whom.
describe('[sec-50] the listener that callers reach', () => {
  it.each(services)('%s: has no metrics; they are on a port of their own, which has nothing else', async (name) => {
    const url = stack.url(name);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const metricsUrl = metricsUrlOf(url);
    const metrics = await fetch(metricsUrl);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
    for (const path of ['/', '/healthz', '/v1/projects']) {
      expect((await fetch(new URL(path, metricsUrl))).status).toBe(404);
    }
  });

  it.each(services)('%s: says of itself whether it is well and ready, and names no address', async (name) => {
    const url = stack.url(name);
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
    const ready = (await (await fetch(`${url}/readyz`)).json()) as { checks: Record<string, string> };
    expect(Object.values(ready.checks)).toEqual(Object.values(ready.checks).map(() => 'ok'));
  });

  it.each(services)('%s: has no inspector, and no way to change it', async (name) => {
    const url = stack.url(name);
    for (const path of ['/json', '/debug', '/admin', '/env', '/config', '/shutdown']) {
      expect((await fetch(`${url}${path}`)).status).toBe(404);
    }
  });
});

describe('[sec-50] metrics', () => {
  it.each(services)('%s: no label holds a name, an id or an address of a customer', async (name) => {
    const text = await (await fetch(metricsUrlOf(stack.url(name)))).text();
    const { project, account, groupRef, integrationId, installationId, connectionId } = customer;
    const secrets = [project.id, project.name, project.key, account.name, account.token, integrationId, installationId];
    for (const secret of [...secrets, connectionId, `"${groupRef}"`, '@example.com', 'canary']) {
      expect(text).not.toContain(secret);
    }
    // Ids of any kind.
    expect(text).not.toMatch(/"[^"\n]*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/);
  });
});
