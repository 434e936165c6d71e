import { randomUUID } from 'node:crypto';
import express from 'express';
import { listen } from './listen';

/** Express 5 as its guide shows it: `express.json()`, default settings. Does nothing with what it read. Source: expressjs.com, API 5.x. */
const app = express();
app.use(express.json());
app.post('/writes', (_request, response) => {
  response.json({ operationId: randomUUID() });
});
listen(app);
