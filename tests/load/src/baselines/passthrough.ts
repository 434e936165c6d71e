import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { Agent, request } from 'undici';
import { readArgument, sendReady } from '../harness/child';
import type { BaselineArgument } from './listen';

/**
 * The least that can stand between a caller and the provider: node:http in, undici out, bodies untouched. With `databaseUrl` the
 * least that survives its own end too: a row before the call and its reply after it, each committed before the next step.
 */
const { providerUrl, databaseUrl } = readArgument() as Pick<BaselineArgument, 'providerUrl'> &
  Partial<BaselineArgument>;
const agent = new Agent();
const pool = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 10 });
const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    forward(incoming.url ?? '/', Buffer.concat(chunks), outgoing).catch(() => outgoing.destroy());
  });
});
server.keepAliveTimeout = 120_000;
void main();

async function main(): Promise<void> {
  await pool?.query('create table calls (id uuid primary key, body text not null, reply text)');
  server.listen(0, '127.0.0.1', () => sendReady({ port: (server.address() as AddressInfo).port }));
}

async function forward(path: string, body: Buffer, outgoing: ServerResponse): Promise<void> {
  const id = randomUUID();
  await pool?.query({
    name: 'open',
    text: 'insert into calls (id, body) values ($1, $2)',
    values: [id, body.toString()],
  });
  const reply = await request(`${providerUrl}${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench-0' },
    body,
  });
  const answer = Buffer.from(await reply.body.arrayBuffer());
  await pool?.query({
    name: 'settle',
    text: 'update calls set reply = $2 where id = $1',
    values: [id, answer.toString()],
  });
  outgoing.writeHead(reply.statusCode, { 'content-type': 'application/json', 'content-length': answer.length });
  outgoing.end(answer);
}
