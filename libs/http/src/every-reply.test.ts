import express from 'express';
import request from 'supertest';
import { setOnEveryReply } from './send-reply';

function appWith(...headers: [string, string][]) {
  const app = express().disable('x-powered-by').disable('etag');
  setOnEveryReply(app, headers);
  app.get('/plain', (_req, res) => void res.end('x'));
  app.get('/own', (_req, res) => void res.setHeader('x-first', 'own').end('x'));
  app.get('/headed', (_req, res) => void res.writeHead(201, { 'X-Second': 'own' }).end('x'));
  app.get('/listed', (_req, res) => void res.writeHead(201, ['X-Second', 'own']).end('x'));
  app.get('/nothing', (_req, res) => void res.writeHead(204).end());
  return request(app);
}

describe('a header of every reply', () => {
  const agent = appWith(['X-First', 'a, b'], ['X-Second', "'none'"]);

  it.each(['/plain', '/nothing', '/unknown'])('is on %s', async (path) => {
    const { headers } = await agent.get(path);
    expect(headers).toMatchObject({ 'x-first': 'a, b', 'x-second': "'none'" });
  });

  it.each([
    ['/own', { 'x-first': 'own', 'x-second': "'none'" }],
    ['/listed', { 'x-first': 'a, b', 'x-second': 'own' }],
    ['/headed', { 'x-first': 'a, b', 'x-second': 'own' }],
  ])('gives way, once, to what the reply sets itself: %s', async (path, expected) => {
    const { headers } = await agent.get(path);
    expect(headers).toMatchObject(expected);
  });
});

it('is one of its app alone', async () => {
  appWith(['X-First', 'a']);
  const { headers } = await appWith(['X-Second', 'b']).get('/plain');
  expect(headers).not.toHaveProperty('x-first');
});
