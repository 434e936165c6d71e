import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokenEndpoint, type FakeTokenEndpoint } from './fake-token-endpoint';

/** The account that a token opens. `myDomain`: its labels; absent where Salesforce does not state it. */
export interface FakeAccount {
  readonly organizationId: string;
  readonly userId: string;
  readonly myDomain?: string;
}

export interface FakeSalesforce {
  readonly url: string;
  /** By token. A token that is not in it is refused, as Salesforce does: 403 in plain text. */
  readonly accounts: Map<string, FakeAccount>;
  readonly tokenEndpoint: FakeTokenEndpoint;
  close(): Promise<void>;
}

/** `GET /services/oauth2/userinfo`, in as many lines as these tests need. */
export async function startFakeSalesforce(): Promise<FakeSalesforce> {
  const accounts = new Map<string, FakeAccount>();
  const tokenEndpoint = createTokenEndpoint();
  const server = createServer((req, res) => {
    if (req.url === '/services/oauth2/token') {
      void tokenEndpoint.answer(req, res);
      return;
    }
    const account = accounts.get(req.headers.authorization?.replace('Bearer ', '') ?? '');
    if (req.url !== '/services/oauth2/userinfo' || account === undefined) {
      res.writeHead(req.url === '/services/oauth2/userinfo' ? 403 : 404, { 'Content-Type': 'text/plain' });
      res.end('Bad_OAuth_Token');
      return;
    }
    const { organizationId, userId, myDomain } = account;
    const urls = myDomain === undefined ? {} : { custom_domain: `https://${myDomain}.my.salesforce.com` };
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ organization_id: organizationId, user_id: userId, urls }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts,
    tokenEndpoint,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
