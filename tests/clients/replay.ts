import { createHash } from 'node:crypto';
import type { OpenApiOperation } from '@sluice/http';
import { createReplyChecker, type ReplyChecker } from '@sluice/testkit';
import type { JsonSchema } from '@sluice/types';
import type { RowRequest } from '../security/tenancy/row';
import type { Ids, World } from '../security/tenancy/world';
import { apiProblem, inputValidationProblem } from './published/records';

/** Who sends a request: the two Node SDKs, the command line, or whoever reads the published API. */
export type Client = 'sdk-node-platform' | 'sdk-node-write' | 'amp' | 'published API';

/** What stands in the requests, and of an upload, which no other table has. */
export interface ReplayIds extends Ids {
  /** The end of the address that was handed out. */
  readonly uploadToken: string;
  /** `gs://…`, as the command line makes it of the reply. */
  readonly sourceZipUrl: string;
}

/** One request of a published client, and the reply that it takes. */
export interface Replay extends Pick<RowRequest, 'query'> {
  readonly client: Client;
  /** The client's own name of it. */
  readonly call: string;
  /** Method and path after the base URL: `GET /projects/{projectIdOrName}`. */
  readonly request: string;
  readonly base: 'baseUrl' | 'searchUrl' | 'writeUrl';
  /** Whom it comes from. @default a key of the project, in X-Api-Key */
  readonly as?: 'builder';
  readonly body?: (ids: ReplayIds, world: World) => object;
  /** In place of a JSON body. Whoever puts at an address that was handed out sends no key and no type with it. */
  readonly bytes?: Buffer;
  /** What the request uses up, made for it. */
  readonly fresh?: (world: World) => Promise<Partial<ReplayIds>>;
  readonly status: number;
  readonly reply: Reply;
  /** Why the published reply is not given; `status` and `reply` are then what is answered in its place. */
  readonly notDone?: string;
  /** What of a reply that is given differs from the published one. */
  readonly differs?: string;
}

/** Content type and body. */
export type Reply = { readonly contentType: string; readonly schema?: JsonSchema } | 'nothing';

export const json = (schema: JsonSchema): Reply => ({ contentType: 'application/json', schema });
export const plainText: Reply = { contentType: 'text/plain' };
export const problem: Reply = { contentType: 'application/problem+json', schema: apiProblem };
export const invalidInput: Reply = { contentType: 'application/problem+json', schema: inputValidationProblem };

/** A reply as it came over the wire. */
interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Sends the request as its client does, byte for byte where the client leaves no choice. */
export async function send(replay: Replay, world: World): Promise<Answer> {
  const ids: ReplayIds = { ...world.ids, uploadToken: '', sourceZipUrl: '', ...(await replay.fresh?.(world)) };
  const [method = '', template = ''] = replay.request.split(' ');
  const query = new URLSearchParams(replay.query?.(ids)).toString();
  const path = template.replace(/\{(\w+)\}/g, (_, name: keyof ReplayIds) => encodeURIComponent(ids[name]));
  const body = replay.body?.(ids, world);
  const reply = await fetch(`${world.stack[replay.base]}${path}${query && `?${query}`}`, {
    method,
    headers: replay.bytes
      ? { 'content-md5': md5Of(replay.bytes) }
      : { ...clientHeaders(replay, method, body !== undefined), ...credentials(replay, world) },
    ...(replay.bytes && { body: new Uint8Array(replay.bytes) }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  });
  const contentType = reply.headers.get('content-type') ?? undefined;
  return { status: reply.status, contentType, text: await reply.text() };
}

/** As `Content-MD5` has it. Source: RFC 1864. */
export function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('base64');
}

function credentials({ as }: Replay, { project, stack }: World): Record<string, string> {
  return as === 'builder' ? { authorization: `Bearer ${stack.adminKey}` } : { 'x-api-key': project.key };
}

function clientHeaders({ client }: Replay, method: string, hasBody: boolean): Record<string, string> {
  const typed: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {};
  if (client === 'published API') return typed;
  if (client !== 'amp') return { ...typed, accept: 'application/json;q=1, application/problem+json;q=0' };
  const stamps = { 'x-cli-version': '1.13.0', 'x-cli-commit': 'none', 'x-cli-branch': 'main', 'x-cli-stage': 'prod' };
  // It sends a type with a deletion, and no body.
  if (method === 'DELETE') return { ...stamps, 'content-type': 'text/plain' };
  return { ...stamps, accept: 'application/json', ...typed };
}

/** What of an answer is not as the row says; undefined when all is. */
export function faultOf({ status, reply }: Replay, answer: Answer): string | undefined {
  if (answer.status !== status) return `status ${answer.status} ${answer.text}`;
  const content = reply === 'nothing' ? undefined : { [reply.contentType]: { schema: reply.schema ?? {} } };
  const response: OpenApiResponse = { description: 'as published', ...(content && { content }) };
  const check = checkerOf({ [status]: response });
  return check({ method: 'GET', path: '/row', hasHeader: () => true, ...answer });
}

type OpenApiResponse = OpenApiOperation['responses'][string];

/** A document of one operation, which has these replies. */
function checkerOf(responses: OpenApiOperation['responses']): ReplyChecker {
  const operation = { operationId: 'row', summary: '', tags: [], security: [], responses };
  return createReplyChecker({
    openapi: '3.1.1',
    info: { title: 'published', version: '1', description: '' },
    servers: [],
    tags: [],
    paths: { '/row': { get: operation } },
    components: { schemas: {}, examples: {}, securitySchemes: {} },
  });
}
