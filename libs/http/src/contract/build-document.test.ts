import { connectionSchema, createProjectRequestSchema, projectSchema } from '@sluice/types';
import { route } from '../route';
import { createRouter } from '../router';
import { buildDocument, documentPath } from './build-document';
import { json, jsonList, noBody } from './route-contract';

const api = { title: 'T', description: 'D', tags: [{ name: 'Things', description: 'Some.' }] };
const handle = () => ({ status: 204 });

function build(isAuthenticated = true) {
  const { router, routes } = createRouter(isAuthenticated ? (_req, _res, next) => next() : undefined);
  router.post(
    '/v1/projects/:projectIdOrName/connections\\:generate',
    route({
      operationId: 'makeThing',
      summary: 'Make a thing',
      tags: ['Things'],
      replies: {
        201: json(connectionSchema),
        204: noBody('Nothing.', { Location: { description: 'Where.', required: true } }),
      },
      problems: ['connection.scheme-mismatch'],
      scopes: ['frontend'],
      query: { type: 'object', required: ['groupRef'], properties: { groupRef: { type: 'string' } } },
      body: createProjectRequestSchema,
      handle,
    }),
  );
  router.get('/v1/undeclared', route({ summary: 'Says too little', handle }));
  router.get('/v1/raw', (_req, res) => void res.end());
  router.get('/callbacks/x', route({ isInternal: true, handle }));
  return buildDocument(api, routes);
}

it('turns an Express path into a template relative to the base URL', () => {
  expect(documentPath('/v1/projects/:projectIdOrName/connections\\:generate')).toBe(
    '/projects/{projectIdOrName}/connections:generate',
  );
  expect(documentPath('/v1/a/:b\\:c')).toBe('/a/{b}:c');
});

it('names the routes that do not say what they are, and leaves internal ones out', () => {
  const { undeclared, document } = build();
  expect(undeclared).toEqual(['GET /undeclared', 'GET /raw']);
  expect(Object.keys(document.paths)).toEqual(['/projects/{projectIdOrName}/connections:generate']);
});

it('describes parameters, body and replies, and writes a shared schema once', () => {
  const { document } = build();
  const operation = document.paths['/projects/{projectIdOrName}/connections:generate']?.['post'];
  expect(operation?.parameters?.map(({ name, in: where, required }) => [name, where, required])).toEqual([
    ['projectIdOrName', 'path', true],
    ['groupRef', 'query', true],
  ]);
  for (const { description } of operation?.parameters ?? []) expect(description).not.toBe('');
  expect(operation?.requestBody?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/CreateProjectRequest',
  });
  expect(operation?.responses[201]?.content?.['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/Connection',
  });
  expect(operation?.responses[204]).toMatchObject({ headers: { Location: { required: true } } });
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Connection', 'Group', 'ApiProblem']),
  );
  expect(JSON.stringify(document.components.schemas['Connection'])).toContain('#/components/schemas/Group');
});

it('lists the problems that follow from the route, and its own', () => {
  const { document } = build();
  const { schema } = problemOf(document) ?? {};
  expect(schema).toMatchObject({
    properties: {
      code: {
        enum: [
          'auth.invalid',
          'auth.missing',
          'auth.scope-missing',
          'connection.scheme-mismatch',
          'project.not-found',
          'request.body-too-large',
          'request.content-type',
          'request.invalid',
          'request.malformed-json',
          'request.rate-limited',
          'request.timeout',
          'service.defect',
          'service.overloaded',
          'service.unavailable',
          'write.number-not-exact',
        ],
      },
    },
  });
});

it('asks for no key where none is asked for', () => {
  const open = Object.values(build(false).document.paths)[0]?.['post'];
  const closed = Object.values(build().document.paths)[0]?.['post'];
  expect(open?.security).toEqual([]);
  expect(closed?.security).toEqual([{ apiKey: [] }, { bearer: [] }]);
  expect(closed?.['x-scopes']).toEqual(['frontend', 'full']);
});

it('shows a secret as a password, because a reply may carry it', () => {
  const text = JSON.stringify(build().document);
  expect(text).toContain('"format":"password"');
  expect(text).not.toContain('writeOnly');
});

it('takes a list', () => {
  expect(jsonList(projectSchema).schema).toMatchObject({ type: 'array', items: projectSchema });
});

function problemOf(document: ReturnType<typeof build>['document']) {
  const [item] = Object.values(document.paths);
  return item?.['post']?.responses['default']?.content?.['application/problem+json'];
}
