import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendReady } from '../harness/child';
import type { AccountBehaviour, ProviderCounts } from '../harness/provider';

/**
 * HubSpot as far as the services under load talk to it, and no more: it checks and stores nothing, so that it costs little of the
 * machine (the sandbox answers about a tenth as fast). An account is named by its token, `bench-7`.
 */
interface Account {
  behaviour: AccountBehaviour;
  calls: number;
  records: number;
  dwellsMs: number[];
}

const accounts = new Map<string, Account>();
let everybody: AccountBehaviour = {};
let lastId = 10_000_000;
/** Far above what a machine can do: the account's own limit must not be what is measured. */
const rateHeaders = { 'x-hubspot-ratelimit-max': '100000000', 'x-hubspot-ratelimit-interval-milliseconds': '10000' };
/** Moment of the request, put into the record by who measures the time until here. */
const sentAtForm = /"sentat":"([\d.]+)"/g;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const url = request.url ?? '';
    if (url.startsWith('/_bench/')) answer(response, 200, control(request.method ?? '', url, body));
    else serve(request, response, body);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => sendReady({ port: (server.address() as AddressInfo).port }));

function serve(request: IncomingMessage, response: ServerResponse, body: string): void {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? 'nobody';
  const account = accountOf(token);
  const behaviour = { ...everybody, ...account.behaviour };
  const url = request.url ?? '';
  const isWrite = request.method !== 'GET' && !url.endsWith('/search') && !url.endsWith('/read');
  if (isWrite) note(account, url, body);
  const reply = (): void => answer(response, isWrite ? 201 : 200, resultOf(url, body, token));
  if ((behaviour.latencyMs ?? 0) === 0 || !isSlow(url)) reply();
  else setTimeout(reply, behaviour.latencyMs);
}

/** Connecting an account is no part of what is measured. */
function isSlow(url: string): boolean {
  return url.startsWith('/crm/');
}

function note(account: Account, url: string, body: string): void {
  account.calls += 1;
  account.records += url.includes('/batch/') ? body.split('"properties"').length - 1 : 1;
  for (const [, sentAt] of body.matchAll(sentAtForm)) account.dwellsMs.push(Date.now() - Number(sentAt));
}

function resultOf(url: string, body: string, token: string): object {
  if (url.startsWith('/account-info/')) return { portalId: Number(token.replace(/\D/g, '')) + 1 };
  if (url.endsWith('/search')) return { total: 1, results: [recordOf(undefined)] };
  if (!url.includes('/batch/')) return url.startsWith('/crm/v3/properties/') ? { results: [] } : recordOf(idIn(url));
  const { inputs } = JSON.parse(body) as { inputs: { id?: string; objectWriteTraceId?: string }[] };
  const results = inputs.map(({ id, objectWriteTraceId }) => ({ ...recordOf(id), objectWriteTraceId }));
  return { status: 'COMPLETE', results };
}

function idIn(url: string): string | undefined {
  return /\/(\d+)$/.exec(url)?.[1];
}

function recordOf(id: string | undefined): object {
  return { id: id ?? String((lastId += 1)), properties: {}, createdAt: new Date().toISOString() };
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...rateHeaders,
  });
  response.end(text);
}

function control(method: string, url: string, body: string): object {
  if (url === '/_bench/behaviour') {
    const { account, ...behaviour } = JSON.parse(body) as AccountBehaviour & { account?: string };
    if (account === undefined) everybody = behaviour;
    else accountOf(account).behaviour = behaviour;
    return {};
  }
  if (method === 'DELETE') {
    accounts.clear();
    everybody = {};
    return {};
  }
  return countsOf();
}

function countsOf(): ProviderCounts {
  const byAccount = Object.fromEntries(
    [...accounts].map(([name, { calls, records, dwellsMs }]) => [name, { calls, records, dwellsMs }]),
  );
  const sum = (pick: (account: Account) => number): number => [...accounts.values()].reduce((n, a) => n + pick(a), 0);
  return { calls: sum((account) => account.calls), records: sum((account) => account.records), byAccount };
}

function accountOf(name: string): Account {
  const known = accounts.get(name);
  if (known !== undefined) return known;
  const account: Account = { behaviour: {}, calls: 0, records: 0, dwellsMs: [] };
  accounts.set(name, account);
  return account;
}
