import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two questions whether a target is ready, in milliseconds. */
const pauseMs = 100;
/** Noes in a row after which a target gets nothing more: one may be a machine that is busy. */
const noesMax = 2;
/** Longest wait for an answer to it: a machine that is busy says neither yes nor no. */
const answerMs = 10_000;

/** A round-robin in front of replicas that goes by `/readyz` alone: what it sends is sent once, and a failure is the caller's. */
export interface Balancer {
  readonly url: string;
  /** Waits until every target gets requests: what a roll-out waits for before it goes on. */
  whole(): Promise<void>;
  close(): void;
}

export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const ready = new Set<string>(targets);
  const closed = new AbortController();
  for (const target of targets) void watch(target, ready, closed.signal);
  // Connections are kept, as balancers do: a restart must not lose what is sent on one of them.
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const up = targets.filter((target) => ready.has(target));
    const target = up[(turn += 1) % up.length];
    if (target === undefined) outgoing.writeHead(503).end('{"balancer":"no target is ready"}');
    else forward(incoming, outgoing, { target, agent });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    whole: async () => {
      while (ready.size < targets.length) await sleep(20);
    },
    close: () => {
      closed.abort();
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

async function watch(target: string, ready: Set<string>, closed: AbortSignal): Promise<void> {
  for (let noes = 0; !closed.aborted; await sleep(pauseMs)) {
    noes = (await isReady(target)) ? 0 : noes + 1;
    if (noes === 0) ready.add(target);
    if (noes >= noesMax) ready.delete(target);
  }
}

function isReady(target: string): Promise<boolean> {
  return fetch(`${target}/readyz`, { signal: AbortSignal.timeout(answerMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, agent }: { readonly target: string; readonly agent: Agent },
): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const sent = request(new URL(url, target), { method, headers, agent }, (reply) => {
    // The connection of the reply is ours, not the caller's.
    const { connection: _connection, 'keep-alive': _keepAlive, ...rest } = reply.headers;
    outgoing.writeHead(reply.statusCode ?? 502, rest);
    reply.pipe(outgoing);
  });
  sent.on('error', (error) => outgoing.writeHead(502).end(JSON.stringify({ balancer: `${target}: ${error.message}` })));
  incoming.pipe(sent);
}
