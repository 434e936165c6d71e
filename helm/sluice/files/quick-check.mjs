/**
 * What `helm test` runs inside the cluster: every service answers through its Service and is ready, each base URL refuses a caller
 * without a key, and the admin key is the one that management knows. A service without a replica has no address and is left out. Writes nothing.
 */
import process from 'node:process';

const { MANAGEMENT_URL, SEARCH_URL, WRITE_GATEWAY_URL, BATCHER_URL, EXECUTOR_URL, SLUICE_ADMIN_KEY } = process.env;
const integration = '/v1/projects/quick-check/integrations/none';
/** @type {[string, { method?: string; body?: string; headers?: Record<string, string> }, number][]} */
const checks = [
  ...[MANAGEMENT_URL, SEARCH_URL, WRITE_GATEWAY_URL, BATCHER_URL, EXECUTOR_URL].map((url) => [
    `${url}/readyz`,
    {},
    200,
  ]),
  [`${MANAGEMENT_URL}/v1/projects`, {}, 401],
  [`${SEARCH_URL}${integration}?groupRef=none`, { method: 'POST', body: '{}' }, 401],
  [`${WRITE_GATEWAY_URL}${integration}/objects/contacts`, { method: 'POST', body: '{}' }, 401],
  [`${MANAGEMENT_URL}/v1/projects`, { headers: { 'x-api-key': SLUICE_ADMIN_KEY } }, 200],
].filter(([url]) => !url.startsWith('undefined/'));

let failed = 0;
for (const [url, { headers, ...request }, expected] of checks) {
  const status = await ask(url, { ...request, headers: { 'content-type': 'application/json', ...headers } });
  if (status !== expected) failed += 1;
  process.stdout.write(`${status === expected ? 'ok    ' : 'FAILED'} ${request.method ?? 'GET'} ${url}: ${status}\n`);
}
process.stdout.write(`${checks.length - failed} of ${checks.length} checks passed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function ask(url, request) {
  try {
    return (await fetch(url, { ...request, signal: AbortSignal.timeout(10_000) })).status;
  } catch (error) {
    return `${error.cause?.code ?? error.name}, expected an answer within 10 s`;
  }
}
