import type { OpenApiDocument } from '@sluice/http';
import { createReplyChecker, type ReplyChecker } from '@sluice/testkit';
import type { HostileReply } from './send';
import type { HostileRequest } from './spoil';

/** What no reply may show: our files, our language, our database. */
const inside =
  /\.(ts|js|mjs):\d+|node_modules|TypeError|ReferenceError|RangeError|at Object\.|syntax error at or near|relation "/;

const checkers = new Map<OpenApiDocument, ReplyChecker>();

/** What is wrong with a reply, in words; undefined when nothing is. */
export function fault(request: HostileRequest, reply: HostileReply, secrets: readonly string[]): string | undefined {
  // 502 and 504 are what a provider's failure is shown as; the sandbox has none, so every 5xx is ours.
  if (reply.status >= 500 || reply.status < 200) return `status ${reply.status}`;
  if (secrets.some((secret) => reply.text.includes(secret))) return 'a secret is in the reply';
  if (reply.status >= 400 && inside.test(reply.text)) return 'our inside shows in the reply';
  if (reply.status === 429 && reply.headers['retry-after'] === undefined) return '429 without Retry-After';
  if (request.method === 'HEAD' || reply.status === 204) return reply.text === '' ? undefined : 'a body where none is';
  if (request.method === 'OPTIONS' && reply.status < 300) return undefined;
  return contractFault(request, reply);
}

/** Judges by the document, as that operation which the path now leads to. */
function contractFault({ endpoint, method, path }: HostileRequest, reply: HostileReply): string | undefined {
  const check = checkers.get(endpoint.document) ?? createReplyChecker(endpoint.document);
  checkers.set(endpoint.document, check);
  const contentType = reply.headers['content-type'];
  const isProblem = contentType?.startsWith('application/problem+json') === true;
  if (reply.status >= 400 && reply.status !== 422 && !isProblem)
    return `${reply.status} with ${contentType ?? 'no type'}`;
  const found = check({
    method,
    path,
    status: reply.status,
    contentType,
    hasHeader: (name) => reply.headers[name.toLowerCase()] !== undefined,
    text: reply.text,
  });
  return found ?? (isProblem ? statusFault(reply) : undefined);
}

function statusFault(reply: HostileReply): string | undefined {
  const { status } = JSON.parse(reply.text) as { readonly status?: unknown };
  return status === reply.status ? undefined : `the problem says ${String(status)}`;
}
