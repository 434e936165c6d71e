import { RouteTable } from './router';

function tableOf(...paths: string[]) {
  const table = new RouteTable<string>();
  for (const path of paths) table.add(path, path);
  return (path: string) => table.matches(path).map(({ entry, params }) => [entry, params()]);
}

const things = '/v1/things';
const thing = '/v1/things/:id';
const cancel = '/v1/things/:id\\:cancel';
const batch = '/v1/things\\:batch';
const parts = '/v1/things/:id/parts/:partId';
const find = tableOf(things, thing, cancel, batch, parts);

describe('a path', () => {
  it.each([
    ['/v1/things', [[things, {}]]],
    ['/v1/things/', [[things, {}]]],
    ['/v1/things:batch', [[batch, {}]]],
    ['/v1/things/7/', [[thing, { id: '7' }]]],
    ['/v1/things/7:other', [[thing, { id: '7:other' }]]],
    [
      '/v1/things/7:cancel',
      [
        [thing, { id: '7:cancel' }],
        [cancel, { id: '7' }],
      ],
    ],
    ['/v1/things/7/parts/a', [[parts, { id: '7', partId: 'a' }]]],
    ['/v1/things/a%2Fb', [[thing, { id: 'a/b' }]]],
    ['/v1/things/%3A', [[thing, { id: ':' }]]],
    ['/v1/things/__proto__', [[thing, { id: '__proto__' }]]],
  ])('%s finds its routes, in their order, with decoded parameters', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  // What an Express router with `caseSensitive` does not match either.
  it.each([
    '/',
    '',
    '/V1/things',
    '/v1/things//',
    '//v1/things',
    '/v1//things',
    '/v1/thing%73',
    '/v1/things/7/parts',
    '/v1/things/7/parts/a/b',
  ])('%p finds nothing', (path) => expect(find(path)).toEqual([]));

  it('needs a parameter before the text that follows it', () => {
    expect(tableOf(cancel)('/v1/things/:cancel')).toEqual([]);
  });

  it('with a broken percent-encoding is an error where a route would take it, and nowhere else', () => {
    expect(() => find('/v1/things/%zz')).toThrow(URIError);
    expect(find('/v1/%zz/7')).toEqual([]);
  });
});

it('the rest of a path is one segment or more, and comes after what is named', () => {
  const below = tableOf('/crm/*rest', '/crm/v3', '/*rest');
  expect(below('/crm/v3')).toEqual([
    ['/crm/v3', {}],
    ['/crm/*rest', {}],
    ['/*rest', {}],
  ]);
  expect(below('/crm/v3/objects/a%2Fb')).toEqual([
    ['/crm/*rest', {}],
    ['/*rest', {}],
  ]);
  expect(below('/crm')).toEqual([['/*rest', {}]]);
  expect(tableOf('/crm/*rest')('/crm/')).toEqual([]);
  expect(below('/')).toEqual([]);
});

it('the root is a path like others', () => expect(tableOf('/')('/')).toEqual([['/', {}]]));

it.each(['/v1/*rest/more', '/v1/*other', '/v1/{optional}', '/v1/:a-:b', '/v1/a:b', '/v1/:a:b', '/v1/(x)'])(
  '%s is refused when it is registered: no route of ours has such a segment',
  (path) => expect(() => tableOf(path)).toThrow('which no route can have'),
);
