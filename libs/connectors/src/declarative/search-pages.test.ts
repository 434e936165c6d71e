import { captureDeclared } from '../../test/captured-calls';
import type { Declaration } from './declaration';
import { loadDeclarations } from './load-declarations';

/** A reply to a search with this row, and what the provider's reference says of the rows after it. */
type Answer = (more: boolean) => unknown;
const row = { id: '1', name: 'A', Last_Name: 'A', attributes: { email: 'A' } };

// Source: the references' pages on search, read 2026-11-29: Close "Advanced Filtering", Klaviyo "Get Profiles", Pipedrive v2 "Search persons",
// Zendesk "Search", Zoho CRM v8 "Search Records".
const answers: Readonly<Record<string, Answer>> = {
  close: (more) => ({ data: [row], cursor: more ? 'eyJza2lwIjoxfQ' : null }),
  klaviyo: (more) => ({
    data: [row],
    links: { self: '/', next: more ? 'https://a.klaviyo.com/api/profiles?page' : null },
  }),
  pipedrive: (more) => ({
    success: true,
    data: { items: [{ result_score: 1, item: row }] },
    additional_data: { next_cursor: more ? 'eyJhIjoxfQ' : null },
  }),
  zendeskSupport: (more) => ({ results: [row], count: 2, next_page: more ? 'https://acme.zendesk.com/?page=2' : null }),
  zoho: (more) => ({ data: [row], info: { per_page: 1, count: 1, page: 1, more_records: more } }),
};

function searchAt(file: Declaration, limit: number, reply: unknown) {
  const { connector } = captureDeclared(file, () => reply);
  const [objectName = ''] = Object.keys(file.objects);
  const kind = file.name === 'zendeskSupport' ? 'basic' : 'apiKey';
  const auth = { accessToken: 'YTpi', workspaceRef: 'acme', ...(file.name !== 'zoho' && ({ kind } as const)) };
  const [field = ''] = file.objects[objectName]?.searchable ?? ['name'];
  return connector.search({ auth, objectName, filters: [{ field, value: 'A' }], fields: [], limit });
}

const files = loadDeclarations();

it.each(Object.entries(answers))('%s states whether it has more', async (name, answer) => {
  const file = files.find((each) => each.name === name) as Declaration;
  expect(await searchAt(file, 1, answer(true))).toMatchObject({ records: [{ id: '1' }], hasMore: true });
  expect(await searchAt(file, 1, answer(false))).toMatchObject({ records: [{ id: '1' }], hasMore: false });
});

it('a file without a place for that: a full page may have more', async () => {
  const {
    next: _none,
    exact: _alike,
    ...search
  } = (files.find(({ name }) => name === 'close') as Declaration).search ?? {};
  const file = { ...files.find(({ name }) => name === 'close'), search: { ...search, pageMax: 2 } } as Declaration;
  const page = (rows: number) => ({ data: Array.from({ length: rows }, (_row, at) => ({ ...row, id: String(at) })) });
  expect(await searchAt(file, 100, page(1))).toMatchObject({ hasMore: false });
  expect(await searchAt(file, 100, page(2))).toMatchObject({ hasMore: true });
});

it('every other file has a place for it', () => {
  const without = files.filter(({ search }) => search !== undefined && search.next === undefined);
  // Freshdesk states it in a header.
  expect(without.map(({ name }) => name)).toEqual(['freshdesk']);
});
