import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the fake answers to a token: a portal, a refusal, or silence. */
export type TokenOutcome =
  { readonly portalId: number } | { readonly status: number; readonly message: string } | 'hang-up';

export interface FakeHubspot {
  readonly url: string;
  /** By token. A token that is not in it is refused with 401. */
  readonly outcomes: Map<string, TokenOutcome>;
  close(): Promise<void>;
}

/** HubSpot's account endpoint, in as many lines as these tests need. */
export async function startFakeHubspot(): Promise<FakeHubspot> {
  const outcomes = new Map<string, TokenOutcome>();
  const server = createServer((req, res) => {
    const token = req.headers.authorization?.replace('Bearer ', '') ?? '';
    const outcome = outcomes.get(token) ?? { status: 401, message: 'Authentication credentials not found.' };
    if (outcome === 'hang-up') req.socket.destroy();
    else if ('portalId' in outcome) answer(res, 200, outcome);
    else answer(res, outcome.status, { status: 'error', message: outcome.message, category: 'INVALID_AUTHENTICATION' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outcomes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(body));
}
