import express from 'express';
import { PgBoss } from 'pg-boss';
import { readArgument } from '../harness/child';
import { listen, type BaselineArgument } from './listen';

/** Express 5 and one awaited `boss.send` per request, pg-boss in its default settings. */
const { databaseUrl } = readArgument() as BaselineArgument;
void main();

async function main(): Promise<void> {
  const boss = new PgBoss(databaseUrl);
  boss.on('error', (error: unknown) => void process.stderr.write(`pg-boss: ${String(error)}\n`));
  await boss.start();
  await boss.createQueue('writes');
  const app = express();
  app.use(express.json());
  app.post('/writes', async (request, response) => {
    response.json({ operationId: await boss.send('writes', request.body as object) });
  });
  listen(app);
}
