import type { OpenApiDocument } from '@sluice/http';
import { createReplyChecker } from './reply-checker';

const inner = { type: 'object', properties: { a: { type: 'integer' } } };
const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, inner } };
const described = { operationId: 'x', summary: '', tags: [], security: [] };
const problem = { schema: { type: 'object', additionalProperties: true } };
const document: OpenApiDocument = {
  openapi: '3.1.1',
  info: { title: 'Things', version: '1', description: '' },
  servers: [],
  tags: [],
  paths: {
    '/things/{id}': {
      get: {
        ...described,
        responses: {
          200: { description: '', content: { 'application/json': { schema: thing } } },
          201: { description: '', headers: { Location: { description: '', required: true, schema: {} } } },
          404: {
            description: '',
            'x-problem-codes': ['operation.not-found'],
            content: { 'application/problem+json': problem },
          },
        },
      },
    },
    '/things/{id}:stop': { get: { ...described, responses: { 204: { description: '' } } } },
  },
  components: { schemas: {}, examples: {}, securitySchemes: {} },
};
const check = createReplyChecker(document);
const notAllowed = {
  type: '/problems/request.method-not-allowed',
  title: 'No',
  status: 405,
  detail: 'No.',
  code: 'request.method-not-allowed',
  requestId: 'x',
  retryable: false,
  remedy: 'None.',
  time: '2026-11-20T10:00:00Z',
};

/** What is found in a reply; `headers` are those it has. */
function faultOf(status: number, body?: unknown, { path = '/v1/things/1?x=1', method = 'GET', headers = ['x'] } = {}) {
  const contentType = status >= 400 ? 'application/problem+json' : body === undefined ? undefined : 'application/json';
  const text = body === undefined ? '' : JSON.stringify(body);
  return check({ method, path, status, contentType, hasHeader: (name) => headers.includes(name), text });
}

it('lets pass what keeps the contract', () => {
  expect(faultOf(200, { id: '1', inner: { a: 1 } })).toBeUndefined();
  expect(faultOf(201, undefined, { headers: ['Location'] })).toBeUndefined();
  expect(faultOf(404, { code: 'operation.not-found' })).toBeUndefined();
  expect(faultOf(200, {}, { method: 'HEAD' })).toBeUndefined();
  expect(faultOf(200, 'any', { path: '/console' })).toBeUndefined();
  expect(faultOf(204, undefined, { path: '/v1/things/1:stop' })).toBeUndefined();
  expect(faultOf(405, notAllowed, { path: '/v1/things/1:stop', method: 'POST' })).toBeUndefined();
});

it.each<[string, string, Parameters<typeof faultOf>]>([
  ['an unknown member', 'additional properties (extra)', [200, { id: '1', extra: 1 }]],
  ['an unknown member further inside', 'additional properties (b)', [200, { id: '1', inner: { b: 1 } }]],
  ['a missing member', "required property 'id'", [200, {}]],
  ['null in place of absent', 'must be object', [200, { id: '1', inner: null }]],
  ['another status', 'status 202 is not among', [202, { id: '1' }]],
  ['a missing header', 'header Location is missing', [201]],
  ['a body where none is declared', 'a body where none', [201, {}, { headers: ['Location'] }]],
  ['no body where one is', 'content type none', [200]],
  ['a problem that is not listed', 'the code project.not-found', [404, { code: 'project.not-found' }]],
  ['a problem of no form, of no operation', "required property 'type'", [404, {}, { path: '/v1/none' }]],
])('finds %s', (_fault, expected, parameters) => {
  expect(faultOf(...parameters)?.replace('must NOT have ', '')).toContain(expected);
});
