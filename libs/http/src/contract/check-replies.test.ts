import { NotFoundError } from '@sluice/errors';
import type { JsonSchema } from '@sluice/types';
import supertest from 'supertest';
import { testApp } from '../../test/test-app';
import { route, type Reply } from '../route';
import { docsPolicy } from './docs-page';
import { json, noBody } from './route-contract';

const thing: JsonSchema = {
  type: 'object',
  description: 'A thing.',
  required: ['id'],
  properties: { id: { type: 'string' }, inner: { type: 'object', properties: { a: { type: 'integer' } } } },
};

/** An app with one operation that returns what the test chooses. */
function answering(answer: () => Reply, isChecked = true) {
  const app = testApp({
    api: { title: 'Things <API>', description: 'One.\n\nTwo.', tags: [{ name: 'Things', description: 'Some.' }] },
    checkReplies: isChecked,
    routes: (router) =>
      router.get(
        '/v1/things/:thingId',
        route({
          operationId: 'getThing',
          summary: 'Get a thing',
          tags: ['Things'],
          replies: { 200: json(thing), 201: noBody('Made.', { Location: { description: 'Where.', required: true } }) },
          problems: ['operation.not-found'],
          handle: answer,
        }),
      ),
  });
  return supertest(app);
}

const ask = (answer: () => Reply) => answering(answer).get('/v1/things/1');
const expectFault = async (answer: () => Reply, fault: string | RegExp) => {
  const { status, body } = await ask(answer);
  expect(body).toMatchObject({ code: 'service.defect', detail: expect.stringMatching(fault) });
  expect(status).toBe(500);
};

describe('a reply that keeps the contract passes', () => {
  it('with a body', async () => {
    await ask(() => ({ body: { id: '1', inner: { a: 1 } } })).expect(200, { id: '1', inner: { a: 1 } });
  });
  it('without one', async () => {
    await ask(() => ({ status: 201, headers: { Location: '/x' } })).expect(201);
  });
  it('with a problem that is listed', async () => {
    const answer = () => {
      throw new NotFoundError({ code: 'operation.not-found', detail: 'no' });
    };
    await ask(answer).expect(404);
  });
  it('to HEAD, OPTIONS, an unknown path and another method', async () => {
    const app = answering(() => ({ body: { id: '1' } }));
    await app.head('/v1/things/1').expect(200);
    await app.head('/v1/nothing').expect(404);
    await app.options('/v1/things/1').expect(204);
    await app.get('/v1/nothing').expect(404);
    await app.post('/v1/things/1').expect(405);
  });
});

describe('a reply that breaks it is a 500', () => {
  it('unknown member', () => expectFault(() => ({ body: { id: '1', extra: 1 } }), 'additional properties'));
  it('unknown member further inside', () => expectFault(() => ({ body: { id: '1', inner: { b: 1 } } }), 'additional'));
  it('missing member', () => expectFault(() => ({ body: {} }), "required property 'id'"));
  it('null in place of absent', () => expectFault(() => ({ body: { id: '1', inner: null } }), 'must be object'));
  it('another status', () => expectFault(() => ({ status: 202, body: { id: '1' } }), 'status 202 is not among'));
  it('a missing header', () => expectFault(() => ({ status: 201 }), 'header Location is missing'));
  it('a body where none is declared', () =>
    expectFault(() => ({ status: 201, headers: { Location: '/x' }, body: {} }), 'a body where none'));
  it('a problem that is not listed', () =>
    expectFault(() => {
      throw new NotFoundError({ code: 'project.not-found', detail: 'no' });
    }, 'the code project.not-found is not among those of 404'));

  it('and passes unseen when nobody checks', async () => {
    await answering(() => ({ body: { extra: 1 } }), false)
      .get('/v1/things/1')
      .expect(200, { extra: 1 });
  });
});

describe('the contract is served', () => {
  it('as a document', async () => {
    const { body } = await answering(() => ({}))
      .get('/openapi.json')
      .expect(200)
      .expect('Content-Type', 'application/json');
    expect(body).toMatchObject({
      openapi: '3.1.1',
      paths: { '/things/{thingId}': { get: { operationId: 'getThing' } } },
    });
  });

  it('as a short page that loads nothing', async () => {
    const { text, headers } = await answering(() => ({}))
      .get('/docs')
      .expect(200);
    expect(headers['content-security-policy']).toBe(docsPolicy);
    expect(docsPolicy).toContain("default-src 'none'");
    expect(text).toContain('Things &lt;API&gt;');
    expect(text).toContain('<code>GET /things/{thingId}</code> Get a thing');
    expect(text).toContain('/docs/reference');
    expect(text).not.toMatch(/<script|src=|@import|url\(|https?:/);
  });
});
