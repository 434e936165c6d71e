import { readProcessEnv } from '@sluice/config';
import * as fc from 'fast-check';
import type { Customer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { endpointsOf, type Target } from './hostile/endpoints';
import { fault } from './hostile/judge';
import { closeConnections, send } from './hostile/send';
import { hostileRequest, type HostileRequest } from './hostile/spoil';
import { createTarget } from './hostile/targets';

/** Requests of one run, over all operations of the OpenAPI documents. */
const requestsOfRun = 20_000;
const atOnce = 24;
/** Another run tries others; a finding names its seed, and HOSTILE_SEED repeats it. */
const seed = Number(readProcessEnv()['HOSTILE_SEED'] ?? Date.now() % 1_000_000_000);
/** Findings that are printed: the first ones suffice. */
const findingsShown = 10;

const stack = sharedStack();
let project: Project;
let targets: readonly { readonly customer: Customer; readonly target: Target }[];

beforeAll(async () => {
  project = await createProject(stack);
  targets = await Promise.all((['hubspot', 'salesforce'] as const).map((name) => createTarget(stack, project, name)));
});
afterAll(closeConnections);

it(`[sec-14] [sec-34] ${requestsOfRun} hostile requests: no 5xx, no reply outside its schema`, async () => {
  const before = await configured();
  const endpoints = targets.flatMap(({ target }) => endpointsOf(target));
  const requests = fc.sample(hostileRequest(endpoints, project.key), { numRuns: requestsOfRun, seed });
  const statuses = new Map<number, number>();
  const findings: string[] = [];
  const startedAtMs = performance.now();
  const left = requests.values();
  const worker = async (): Promise<void> => {
    for (const request of left) {
      const found = await judge(request, statuses);
      if (found !== undefined) findings.push(found);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const counts = Object.fromEntries([...statuses].sort(([one], [other]) => one - other));
  const line = { hostile: requestsOfRun, seed, seconds, findings: findings.length, ...counts };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  expect(findings.slice(0, findingsShown)).toEqual([]);
  // Without replies of each kind the run would have tried little.
  for (const status of [200, 400, 401, 404, 405, 415]) expect(statuses.get(status)).toBeGreaterThan(0);
  expect(await configured()).toEqual(before);
  for (const target of targets) await expectAlive(target);
});

async function judge(request: HostileRequest, statuses: Map<number, number>): Promise<string | undefined> {
  const { endpoint, method, path, headers, body } = request;
  const requestLine = `${endpoint.name}: ${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 600) ?? ''}`;
  const secrets = targets.map(({ customer }) => customer.account.token);
  try {
    const reply = await send(request);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    const found = fault(request, reply, secrets);
    return found === undefined
      ? undefined
      : `${found}\n  ${requestLine}\n  ${reply.status} ${reply.text.slice(0, 600)}`;
  } catch (error) {
    return `no reply: ${String(error)}\n  ${requestLine}`;
  }
}

/** What no request of the run may change: who the customers are. A config may be changed by a request that is valid after all. */
async function configured(): Promise<unknown> {
  const states = targets.map(async ({ customer }) => {
    const { id, connection, createdBy, createTime } = await customer.installation();
    return { id, createdBy, createTime, connection: connection.id, group: connection.group };
  });
  return await Promise.all(states);
}

/** A valid request still succeeds. */
async function expectAlive({ customer, target }: (typeof targets)[number]): Promise<void> {
  const { people, email, lastname } = target.words;
  const record = { [email]: `after-${seed}@example.com`, [lastname]: 'After' };
  const { body } = await customer.write(people, { type: 'create', record });
  expect(body).toMatchObject({ result: { success: true } });
}
