import { useDatabase } from '../../test/use-database';
import { newId } from '../new-id';
import { uploadStore, type NewUpload } from './upload-store';

const fixture = useDatabase();
let uploads: ReturnType<typeof uploadStore>;
beforeAll(() => {
  uploads = uploadStore(fixture.database);
});

const hour = 3_600_000;
const newUpload = (projectId: string): NewUpload => {
  const id = newId();
  return { projectId, id, tokenHash: `hash-of-${id}` };
};
const contentOf = (text: string) => ({ manifest: Buffer.from(text), zipHash: `hash-of-${text}` });
const saved = async (projectId: string, lifeMs = hour): Promise<NewUpload> => {
  const upload = newUpload(projectId);
  await uploads.save(upload, lifeMs, 100);
  return upload;
};

it('keeps the bytes of a manifest as they are, a NUL among them, found by name and by token', async () => {
  const upload = { ...newUpload('bytes'), md5: '1B2M2Y8AsgTpgAmY7PhCfg==' };
  await uploads.save(upload, hour, 100);
  const { projectId, id, tokenHash, md5 } = upload;
  expect(await uploads.find(upload)).toEqual({ projectId, id, md5 });
  const content = { manifest: Buffer.from([0, 255, 13, 10]), zipHash: 'hash' };
  expect(await uploads.put(upload, content, hour)).toBe(true);
  expect(await uploads.findByToken({ projectId, tokenHash })).toEqual({ projectId, id, md5, ...content });
});

it('takes one manifest, of however many come at once', async () => {
  const upload = await saved('race');
  const puts = Array.from({ length: 8 }, (_, at) => uploads.put(upload, contentOf(String(at)), hour));
  const taken = (await Promise.all(puts)).map(Number);
  expect(taken.reduce((sum, one) => sum + one)).toBe(1);
  expect(await uploads.find(upload)).toMatchObject(contentOf(String(taken.indexOf(1))));
});

it('shows nothing to another project', async () => {
  const { id, tokenHash } = await saved('mine');
  expect(await uploads.find({ projectId: 'theirs', id })).toBeUndefined();
  expect(await uploads.findByToken({ projectId: 'theirs', tokenHash })).toBeUndefined();
  expect(await uploads.put({ projectId: 'theirs', id }, contentOf('x'), hour)).toBe(false);
});

it('has no upload that ended, and deletes those only, of all projects, as many as are requested', async () => {
  const ended = [await saved('ended'), await saved('ended'), await saved('ended-too')];
  const living = await saved('ended');
  await fixture
    .database('uploads')
    .whereIn(
      'id',
      ended.map(({ id }) => id),
    )
    .update({ expires_at: fixture.database.raw(`now() - interval '1 second'`) });
  for (const upload of ended) {
    expect(await uploads.find(upload)).toBeUndefined();
    expect(await uploads.findByToken(upload)).toBeUndefined();
    expect(await uploads.put(upload, contentOf('x'), hour)).toBe(false);
  }
  expect([await uploads.purge(2), await uploads.purge(2), await uploads.purge(2)]).toEqual([2, 1, 0]);
  expect(await uploads.find(living)).toBeDefined();
});

it('keeps as many of a project as may wait: the oldest give way, and no other project', async () => {
  const other = await saved('crowd-2');
  const crowd: NewUpload[] = [];
  for (let at = 0; at < 5; at += 1) {
    const upload = newUpload('crowd');
    await uploads.save(upload, hour, 3);
    crowd.push(upload);
  }
  const there = await Promise.all(crowd.map(async (upload) => (await uploads.find(upload)) !== undefined));
  expect(there).toEqual([false, false, true, true, true]);
  expect(await uploads.find(other)).toBeDefined();
});
