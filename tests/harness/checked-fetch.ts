import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '@sluice/http';
import { createReplyChecker } from '@sluice/testkit';

const checks = ['management', 'search', 'write'].map((api) => {
  const text = readFileSync(join(__dirname, `../../docs/api/${api}.openapi.json`), 'utf8');
  return createReplyChecker(JSON.parse(text) as OpenApiDocument);
});

/** `fetch` that throws when a reply breaks the contract of its operation. */
export const checkedFetch: typeof fetch = async (address, init) => {
  const reply = await fetch(address, init);
  const { pathname } = new URL(reply.url);
  const method = init?.method ?? 'GET';
  const sent = {
    method,
    path: pathname,
    status: reply.status,
    contentType: reply.headers.get('content-type') ?? undefined,
    hasHeader: (name: string) => reply.headers.has(name),
    text: await reply.clone().text(),
  };
  const fault = checks.map((check) => check(sent)).find((one) => one !== undefined);
  if (fault !== undefined) throw new Error(`${method} ${pathname} answered ${sent.status} ${sent.text}: ${fault}`);
  return reply;
};
