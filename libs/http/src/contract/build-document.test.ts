import { route } from '../route';
import { createRouter } from '../router';
import { buildDocument } from './build-document';
import { noBody } from './route-contract';

// The contents of a document are tested by the generated files: deploy/contracts/src/documents.test.ts.
it('names the routes that do not say what they are, and leaves internal ones out', () => {
  const { router, routes } = createRouter('test');
  const handle = () => ({ status: 204 });
  const declared = {
    operationId: 'makeThing',
    summary: 'Make a thing',
    tags: ['Things'],
    replies: { 204: noBody('') },
  };
  router.post('/v1/things', route({ ...declared, handle }));
  router.get('/v1/undeclared', route({ summary: 'Says too little', handle }));
  router.get('/v1/raw', (_req, res) => void res.end());
  router.get('/callbacks/x', route({ isInternal: true, handle }));
  const { undeclared, document } = buildDocument({ title: 'T', description: 'D', tags: [] }, routes);
  expect(undeclared).toEqual(['GET /undeclared', 'GET /raw']);
  expect(Object.keys(document.paths)).toEqual(['/things']);
});
