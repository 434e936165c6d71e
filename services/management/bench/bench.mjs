// Measures the management API: `DATABASE_URL=… pnpm --filter @sluice/management bench`.
// Prints medians, and ratios to a bare Express handler of the same process, alternating with it. Decides nothing.
import { fork } from 'node:child_process';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';

const connections = 64;
const rounds = 7;
const roundMs = 2_000;

const child = fork(fileURLToPath(new URL('./server.mjs', import.meta.url)));
const target = await new Promise((resolve, reject) => {
  child.once('message', resolve);
  child.once('exit', (code) => reject(new Error(`the server of the benchmark ended with ${code}`)));
});
const { project, integrationId, installationId, operationId, headers, bare } = target;

const whole = await medianMs(`${project}/installations`);
const ofOne = await medianMs(`${project}/integrations/${integrationId}/installations`);
const page = await medianMs(`${project}/installations?pageSize=100`);
const operation = `${project}/operations/${operationId}`;
// What each page of the console asks for, each time it asks.
const inInstallation = `installationId=${installationId}&since=${new Date(Date.now() - 30 * 86_400_000).toISOString()}`;
const console50 = [
  ['operations', `${project}/operations?pageSize=50`],
  ['operations that have failures', `${project}/operations?pageSize=50&hasFailures=true`],
  ['operations by the beginning of a group', `${project}/operations?pageSize=50&groupRefPrefix=group-99`],
  ['operations of an installation', `${project}/operations?pageSize=50&installationId=${installationId}`],
  ['operations with a record, none has', `${project}/operations?pageSize=50&${inInstallation}&recordRef=nobody`],
  ['operations with an id, none has', `${project}/operations?pageSize=50&${inInstallation}&recordId=nobody`],
  ['progress of an operation', `${operation}/progress`],
  ['explanation of an operation', `${operation}/explanation`],
  ['installations', `${project}/installations?pageSize=50`],
  ['lanes', `${project}/lanes?pageSize=50`],
  ['lanes in which calls wait', `${project}/lanes?pageSize=100&waiting=true`],
];
const ofConsole = [];
for (const [name, url] of console50) ofConsole.push([name, await medianMs(url)]);
await rate(bare);
await rate(operation);
const rates = { bare: [], operation: [] };
for (let round = 0; round < rounds; round += 1) {
  rates.bare.push(await rate(bare));
  rates.operation.push(await rate(operation));
}
const perSecond = { bare: median(rates.bare), operation: median(rates.operation) };
const ratio = median(rates.operation.map((each, at) => each / rates.bare[at]));

console.log(`1,000 installations, whole list      ${whole.toFixed(1)} ms median`);
console.log(`1,000 installations, one integration ${ofOne.toFixed(1)} ms median`);
console.log(`1,000 installations, a page of 100   ${page.toFixed(1)} ms median`);
for (const [name, ms] of ofConsole) console.log(`console: ${name.padEnd(40)} ${ms.toFixed(1)} ms median`);
console.log(`bare Express handler                 ${Math.round(perSecond.bare)} requests/s`);
console.log(
  `get operation                        ${Math.round(perSecond.operation)} requests/s, ${ratio.toFixed(2)} of it`,
);
child.send('stop');

/** One after another, as a builder's backend asks. */
async function medianMs(url) {
  const agent = new Agent({ keepAlive: true });
  const times = [];
  for (let n = 0; n < 45; n += 1) {
    const startedAt = performance.now();
    await request(url, agent);
    if (n >= 15) times.push(performance.now() - startedAt);
  }
  agent.destroy();
  return median(times);
}

/** Requests per second over many connections. */
async function rate(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  let done = 0;
  const work = async () => {
    while (performance.now() - startedAt < roundMs) {
      await request(url, agent);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return done / seconds;
}

function request(url, agent) {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent, headers }, (reply) => {
      reply.resume();
      reply.once('end', () =>
        reply.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${reply.statusCode}`)),
      );
    });
    sent.once('error', reject);
  });
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
