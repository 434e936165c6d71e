import { captureDeclared } from '../../test/captured-calls';
import type { Declaration, DeclaredSearch } from './declaration';
import { loadDeclarations } from './load-declarations';
import { searchParts } from './search';

const search: DeclaredSearch = {
  method: 'GET',
  path: '/{object}',
  query: { per_page: '{limit}', scope: 'own' },
  filter: { parameter: 'filter[{field}]' },
  rows: '',
  id: '/id',
  pageMax: 50,
};
const things = { name: 'things', object: {}, texts: { object: 'things' } };
const parts = (parameter: string, field: string) =>
  searchParts({ ...search, filter: { parameter } }, things, {
    filters: [{ field, value: 'x' }],
    fields: [],
    limit: 10,
  });

it('a filter is a query parameter beside those of the file', () => {
  const query = [
    ['per_page', '10'],
    ['scope', 'own'],
  ];
  expect(parts('{field}', 'email')).toEqual({ query: [...query, ['email', 'x']] });
  expect(parts('filter[{field}]', 'scope')).toEqual({ query: [...query, ['filter[scope]', 'x']] });
});

// The last of two parameters of one name wins at most servers.
it.each(['per_page', 'scope'])('a filter on %s does not say again what the file says', (field) => {
  expect(parts('{field}', field)).toBe(`things cannot be searched by ${field}: the provider's file sends it itself`);
});

it('nor one on the parameter of the credentials what the connection says', async () => {
  const file = loadDeclarations().find(({ name }) => name === 'close') as Declaration;
  const queried = {
    ...file,
    auth: { apiKey: { query: 'token' } },
    search: { ...search, filter: { parameter: '{field}' } },
  };
  const { connector, taken } = captureDeclared(queried, () => []);
  const call = { auth: { accessToken: 'key-1', kind: 'apiKey' as const }, objectName: 'lead', fields: [], limit: 10 };
  const filters = [{ field: 'token', value: 'key-2' }];
  await expect(connector.search({ ...call, filters })).rejects.toMatchObject({ class: 'rejected' });
  expect(taken()).toEqual([]);
  await connector.search({ ...call, filters: [{ field: 'name', value: 'key-2' }] });
  expect(taken().map(({ path }) => path)).toEqual(['/lead?per_page=10&scope=own&name=key-2&token=key-1']);
});
