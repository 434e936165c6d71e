import { validate, type Validate } from '@sluice/http';
import { apiProblemSchema, type JsonSchema } from '@sluice/types';
import type { HostileReply } from './send';
import type { HostileRequest } from './spoil';

/** What no reply may show: our files, our language, our database. */
const inside =
  /\.(ts|js|mjs):\d+|node_modules|TypeError|ReferenceError|RangeError|at Object\.|syntax error at or near|relation "/;

const validators = new Map<JsonSchema, Validate<unknown>>();

/** What is wrong with a reply, in words; undefined when nothing is. */
export function fault(request: HostileRequest, reply: HostileReply, secrets: readonly string[]): string | undefined {
  if (reply.status >= 500 || reply.status < 200) return `status ${reply.status}`;
  if (secrets.some((secret) => reply.text.includes(secret))) return 'a secret is in the reply';
  if (reply.status >= 400 && inside.test(reply.text)) return 'our inside shows in the reply';
  if (reply.status === 429 && reply.retryAfter === undefined) return '429 without Retry-After';
  if (request.method === 'HEAD' || reply.status === 204) return reply.text === '' ? undefined : 'a body where none is';
  if (request.method === 'OPTIONS' && reply.status < 300) return undefined;
  const isProblem = reply.contentType.startsWith('application/problem+json');
  const schema = isProblem ? apiProblemSchema : schemaOf(request, reply.status);
  if (schema === undefined) return `status ${reply.status} with ${reply.contentType || 'no content type'}`;
  if (!isProblem && !reply.contentType.startsWith('application/json')) return `content type ${reply.contentType}`;
  return schemaFault(schema, reply, isProblem);
}

/** Only the method of the endpoint has its replies: another one that exists at the path has its own tests. */
function schemaOf({ endpoint, method }: HostileRequest, status: number): JsonSchema | undefined {
  if (method === endpoint.method)
    return endpoint.replies[status] ?? (status < 300 ? { type: ['object', 'array'] } : undefined);
  return status < 300 ? { type: ['object', 'array'] } : undefined;
}

function schemaFault(schema: JsonSchema, reply: HostileReply, isProblem: boolean): string | undefined {
  try {
    const body: unknown = JSON.parse(reply.text);
    const check = validators.get(schema) ?? validate(schema);
    validators.set(schema, check);
    check(body);
    const { status } = body as { readonly status?: unknown };
    return isProblem && status !== reply.status ? `the problem says ${String(status)}` : undefined;
  } catch (error) {
    return `the body breaks its schema: ${String(error)}`;
  }
}
