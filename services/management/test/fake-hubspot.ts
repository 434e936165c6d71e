import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokenEndpoint, type FakeTokenEndpoint } from './fake-token-endpoint';

/** An account. `objects`: the properties of each of its objects; an account without them has nothing to describe. */
export interface FakePortal {
  readonly portalId: number;
  readonly objects?: Readonly<Record<string, readonly object[]>>;
}

/** What the fake answers to a token: a portal, a refusal, or silence. */
export type TokenOutcome = FakePortal | { readonly status: number; readonly message: string } | 'hang-up';

export interface FakeHubspot {
  readonly url: string;
  /** By token. A token that is not in it is refused with 401. */
  readonly outcomes: Map<string, TokenOutcome>;
  readonly tokenEndpoint: FakeTokenEndpoint;
  close(): Promise<void>;
}

/** HubSpot's account and properties endpoints, in as many lines as these tests need. */
export async function startFakeHubspot(): Promise<FakeHubspot> {
  const outcomes = new Map<string, TokenOutcome>();
  const tokenEndpoint = createTokenEndpoint();
  const server = createServer((req, res) => {
    if (req.url === '/oauth/v1/token') {
      void tokenEndpoint.answer(req, res);
      return;
    }
    const token = req.headers.authorization?.replace('Bearer ', '') ?? '';
    const outcome = outcomes.get(token) ?? { status: 401, message: 'Authentication credentials not found.' };
    if (outcome === 'hang-up') req.socket.destroy();
    else if ('portalId' in outcome) answerPortal(res, req.url ?? '', outcome);
    else answer(res, outcome.status, { status: 'error', message: outcome.message, category: 'INVALID_AUTHENTICATION' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outcomes,
    tokenEndpoint,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerPortal(res: ServerResponse, url: string, { portalId, objects }: FakePortal): void {
  const asked = /^\/crm\/v3\/properties\/([^/?]+)/.exec(url)?.[1];
  if (url.startsWith('/crm-object-schemas/')) {
    answer(res, 403, { status: 'error', message: 'no scope', category: 'MISSING_SCOPES' });
  } else if (asked === undefined || objects === undefined) {
    answer(res, 200, { portalId });
  } else {
    const results = Object.hasOwn(objects, asked) ? objects[asked] : undefined;
    if (results) answer(res, 200, { results });
    else answer(res, 400, { status: 'error', message: `Unable to infer object type from: ${asked}` });
  }
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(body));
}
