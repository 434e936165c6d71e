import { randomUUID } from 'node:crypto';
import express from 'express';
import { Pool } from 'pg';
import { readArgument } from '../harness/child';
import { listen, type BaselineArgument } from './listen';

interface Waiting {
  readonly id: string;
  readonly body: string;
  readonly settled: (error?: Error) => void;
}

/** Express 5 whose requests share one awaited insert: what arrives while one commits goes with the next. The least durable accept of one table. */
const { databaseUrl } = readArgument() as BaselineArgument;
const pool = new Pool({ connectionString: databaseUrl, max: 2 });
let waiting: Waiting[] = [];
let isCommitting = false;
void main();

async function main(): Promise<void> {
  await pool.query('create table writes (id uuid primary key, body text not null)');
  const app = express();
  app.use(express.json());
  app.post('/writes', async (request, response) => {
    const operationId = randomUUID();
    await insert(operationId, JSON.stringify(request.body));
    response.json({ operationId });
  });
  listen(app);
}

function insert(id: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push({ id, body, settled: (error) => (error === undefined ? resolve() : reject(error)) });
    if (!isCommitting) void commitAll();
  });
}

async function commitAll(): Promise<void> {
  isCommitting = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    const columns = [group.map(({ id }) => id), group.map(({ body }) => body)];
    const error = await pool
      .query({
        name: 'insert',
        text: 'insert into writes select * from unnest($1::uuid[], $2::text[])',
        values: columns,
      })
      .then(
        () => undefined,
        (cause: Error) => cause,
      );
    for (const { settled } of group) settled(error);
  }
  isCommitting = false;
}
