import { NotFoundError, ValidationError } from '@sluice/errors';
import request from 'supertest';
import { testApp } from '../test/test-app';
import { json, noBody } from './contract/route-contract';
import { offByDefault, queryOf, routesUnder } from './routes-under';

const schema = { type: 'object', description: 'A thing.' };
const bodySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['size'],
  properties: { size: { type: 'integer' } },
} as const;
const found: string[] = [];

/** Things under shelves: a shelf `no` is not there, and a thing called `shut` admits nobody. */
const app = testApp({
  routes: (router) => {
    const ofShelf = routesUnder(router, '/v1/shelves/:shelf', {
      tags: ['Shelves'],
      find: ({ params: { shelf } }) => {
        found.push(shelf);
        if (shelf === 'no') throw new NotFoundError({ code: 'project.not-found', detail: 'There is no such shelf.' });
        return shelf;
      },
    });
    ofShelf.post('/things', 'makeThing', {
      summary: 'Make a thing',
      replies: { 201: json(schema) },
      body: bodySchema,
      answer: ({ body: { size } }, shelf) => ({ shelf, size: size + 1 }),
    });
    const ofThing = ofShelf.under('/things/:thing', {
      find: ({ params: { shelf, thing } }, outer) => Promise.resolve(`${outer}=${shelf}/${thing}`),
    });
    ofThing.get('', 'getThing', {
      summary: 'Get a thing',
      replies: { 200: json(schema) },
      query: queryOf({ whole: offByDefault }),
      answer: ({ query: { whole = false } }, thing) => Promise.resolve({ thing, whole }),
    });
    ofThing.delete('', 'deleteThing', {
      summary: 'Delete a thing',
      replies: { 204: noBody('Gone.') },
      answer: () => undefined,
    });
    ofThing.put('', 'putThing', {
      summary: 'Put a thing',
      replies: { 200: json(schema) },
      body: bodySchema,
      admit: ({ params }) => {
        if (params.thing === 'shut')
          throw new ValidationError({ code: 'request.invalid', detail: 'Shut.', issues: [] });
      },
      handle: (_request, thing) => ({ status: 202, body: { thing } }),
    });
  },
});

beforeEach(() => found.splice(0));

it('refuses what breaks a schema before it looks up what the path names', async () => {
  expect((await request(app).post('/v1/shelves/no/things').send({ size: 'x' })).status).toBe(400);
  expect((await request(app).get('/v1/shelves/no/things/t?unknown=1')).status).toBe(400);
  // No query was described, so none is taken.
  expect((await request(app).delete('/v1/shelves/no/things/t?whole=true')).status).toBe(400);
  expect(found).toEqual([]);
  expect((await request(app).get('/v1/shelves/no/things/t')).status).toBe(404);
});

it('admits before it reads a body', async () => {
  const refused = await request(app)
    .put('/v1/shelves/a/things/shut')
    .set('content-type', 'text/plain')
    .send('not read');
  expect([refused.status, refused.body.detail]).toEqual([400, 'Shut.']);
  expect(found).toEqual([]);
});
