import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { testApp } from '../test/test-app';
import { route } from './route';

const bytes = {
  contentTypes: ['application/zip', 'application/octet-stream'],
  bytesMax: 100,
  tooLargeRemedy: 'Zip less.',
};
const app = testApp({
  routes: (router) => {
    const echo = route({
      isInternal: true,
      bytes,
      handle: ({ bodyContent, bodyBytes, body }) => ({ body: { hex: bodyContent.toString('hex'), bodyBytes, body } }),
    });
    router.put('/v1/zips', echo);
  },
});

const put = (content: Buffer, headers: Record<string, string>) =>
  request(app)
    .put('/v1/zips')
    .set(headers)
    .serialize((body: unknown) => body as string)
    .send(content);

describe('a route that takes bytes', () => {
  it.each(['application/zip', 'APPLICATION/Octet-Stream', 'application/zip ; x=y'])(
    'takes %j as it is',
    async (type) => {
      const { body } = await put(Buffer.from([0, 255, 123]), { 'content-type': type }).expect(200);
      expect(body).toEqual({ hex: '00ff7b', bodyBytes: 3 });
    },
  );

  // The published command line names none.
  it('takes a body without a type', async () => {
    const { body } = await put(Buffer.from('zip'), {}).expect(200);
    expect(body).toEqual({ hex: '7a6970', bodyBytes: 3 });
  });

  it.each(['application/json', 'application/zipper', 'multipart/form-data; boundary=application/zip'])(
    '[sec-35] refuses %s',
    async (type) => {
      const reply = await put(Buffer.from('{}'), { 'content-type': type }).expect(415);
      expect(reply.headers['accept']).toBe('application/zip, application/octet-stream');
      expect(reply.body).toMatchObject({
        code: 'request.content-type',
        remedy: 'Send a body with Content-Type: application/zip.',
      });
    },
  );

  it('[sec-35] refuses gzip, an empty body, and one byte more than it may have', async () => {
    const typed = { 'content-type': 'application/zip' };
    const zipped = await put(gzipSync('x'), { ...typed, 'content-encoding': 'gzip' }).expect(415);
    expect(zipped.headers['accept-encoding']).toBe('identity');
    expect((await put(Buffer.alloc(0), typed).expect(400)).body).toMatchObject({ detail: 'The body is empty.' });
    await put(Buffer.alloc(100), typed).expect(200);
    const large = await put(Buffer.alloc(101), typed).expect(413);
    expect(large.body).toMatchObject({ code: 'request.body-too-large', remedy: 'Zip less.' });
  });
});
