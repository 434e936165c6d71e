import { seedInstallation, sampleManifest } from '@sluice/testkit';
import { useManagement, type ProjectWithKey, type Sender } from './start-management';
import type { Response as Reply } from 'supertest';

const management = useManagement();
let project: ProjectWithKey;
let send: Sender;
let integrationId: string;
beforeAll(async () => {
  project = await management.newProject();
  send = management.as(project.key);
  const { context } = management;
  for (const n of [1, 2, 3, 4, 5]) {
    const manifest = sampleManifest({ name: `crm-${n}` });
    ({ integrationId } = await seedInstallation(context.store, { projectId: project.id, groupRef: `g${n}`, manifest }));
    await management.newKey(project.id, ['read']);
    const app = { provider: 'hubspot', clientId: `client-${n}`, clientSecret: 'secret' };
    await send.post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
  }
});

interface Item {
  readonly id: string;
}

/** Every page from this address on. */
async function pagesFrom(path: string): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const reply: Reply = await send.get(next).expect(200);
    pages.push(reply.body as Item[]);
    next = /^<(.+)>; rel="next"$/.exec(reply.headers['link'] ?? '')?.[1];
  }
  return pages;
}

const lists = ['installations', 'connections', 'integrations', 'provider-apps', 'api-keys'];
const pathOf = (list: string) => `/v1/projects/${project.id}/${list}`;

describe.each(lists)('GET %s', (list) => {
  it('is whole, and has no link, when no page is asked for', async () => {
    const reply = await send.get(pathOf(list)).expect(200);
    expect((reply.body as Item[]).length).toBeGreaterThanOrEqual(5);
    expect(reply.headers).not.toHaveProperty('link');
  });

  it('gives every item once, in the order of the whole list, in pages of the size that was asked for', async () => {
    const whole = (await send.get(pathOf(list))).body as Item[];
    const pages = await pagesFrom(`${pathOf(list)}?pageSize=2`);
    expect(pages.flat()).toEqual(whole);
    expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
    expect(pages.at(-1)?.length).toBeGreaterThan(0);
  });

  it('has no next page after one that holds all', async () => {
    expect(await pagesFrom(`${pathOf(list)}?pageSize=1000`)).toHaveLength(1);
  });

  it.each(['pageSize=0', 'pageToken=x'])('400 %s', async (query) => {
    const { body } = await send.get(`${pathOf(list)}?${query}`).expect(400);
    expect(body).toMatchObject({ code: 'request.invalid', issues: [{ in: 'query', name: query.split('=')[0] }] });
  });
});

it('keeps the filter in the link, and the same list for one integration', async () => {
  const filtered = await pagesFrom(`${pathOf('connections')}?groupRef=g2&pageSize=1`);
  expect(filtered).toMatchObject([[{ group: { groupRef: 'g2' } }]]);
  const ofOne = await pagesFrom(`/v1/projects/${project.id}/integrations/${integrationId}/installations?pageSize=1`);
  expect(ofOne).toMatchObject([[{ integrationId }]]);
});

it('a page is asked for by its token alone', async () => {
  const reply = await send.get(`${pathOf('installations')}?pageSize=1`).expect(200);
  const token = /pageToken=([^&>]+)/.exec(reply.headers['link'] ?? '')?.[1];
  expect((await send.get(`${pathOf('installations')}?pageToken=${token}`).expect(200)).body).toHaveLength(4);
});
