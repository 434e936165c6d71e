import request from 'supertest';
import { testApp } from '../test/test-app';
import { corsHeaders, replyHeaders } from './send-reply';

const every = Object.fromEntries([...replyHeaders, ...corsHeaders].map(([name, value]) => [name.toLowerCase(), value]));

const agent = request(
  testApp({
    cors: true,
    openRoutes: (router) => {
      router.get('/plain', (_req, res) => void res.end('x'));
      router.get('/own', (_req, res) => void res.setHeader('cache-control', 'private').end('x'));
      router.get('/headed', (_req, res) => void res.writeHead(201, { 'Referrer-Policy': 'origin' }).end('x'));
      router.get('/listed', (_req, res) => void res.writeHead(201, ['Referrer-Policy', 'origin']).end('x'));
      router.get('/nothing', (_req, res) => void res.writeHead(204).end());
      router.get('/broken', () => {
        throw new Error('a handler that fails');
      });
    },
  }),
);

describe('a header of every reply', () => {
  it.each(['/plain', '/nothing', '/unknown', '/broken', '/healthz'])('is on %s', async (path) => {
    const { headers } = await agent.get(path);
    expect(headers).toMatchObject(every);
  });

  it.each([
    ['/own', { 'cache-control': 'private' }],
    ['/listed', { 'referrer-policy': 'origin' }],
    ['/headed', { 'referrer-policy': 'origin' }],
  ])('gives way, once, to what the reply sets itself: %s', async (path, own) => {
    const { headers } = await agent.get(path);
    expect(headers).toMatchObject({ ...every, ...own });
  });
});

it('of other origins is on the replies of an app that they may call, alone', async () => {
  const { headers } = await request(testApp({})).get('/healthz');
  for (const [name] of corsHeaders) expect(headers).not.toHaveProperty(name.toLowerCase());
});
