import { randomUUID } from 'node:crypto';
import express from 'express';
import { listen } from './listen';
import { operationShown } from './operation-shown';

/** Express 5 as its guide shows it: `express.json()`, default settings. Does nothing with what it read. Source: expressjs.com, API 5.x. */
const app = express();
app.use(express.json());
app.post('/writes', (_request, response) => {
  response.json({ operationId: randomUUID() });
});
app.get('/operations/:operationId', (_request, response) => {
  response.json(operationShown);
});
listen(app);
