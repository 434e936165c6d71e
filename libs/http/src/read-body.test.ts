import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { readBody, type BodyLimits } from './read-body';

/** Reads the body of one raw request and returns the result. */
async function read(limits: BodyLimits, ...writes: readonly string[]) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${writes.join('')}`);
  const [req] = (await once(server, 'request')) as [IncomingMessage];
  const outcome = readBody(req, limits).then(
    (body) => body.toString(),
    (error: { code: string }) => error.code,
  );
  return { socket, outcome, close: () => (socket.destroy(), server.close(), server.closeAllConnections()) };
}

describe('readBody', () => {
  // The way of nearly every request; the next one of the connection must still be read.
  it('takes a body that came with its head, and lets the next request come', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    const bodies: string[] = [];
    server.on('request', (req, res) => {
      void Promise.resolve()
        .then(() => readBody(req, { bytesMax: 10 }))
        .then((body) => (bodies.push(body.toString()), res.end('ok')));
    });
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    for (const body of ['abc', 'defg']) {
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      await once(socket, 'data');
    }
    socket.destroy();
    server.close();
    expect(bodies).toEqual(['abc', 'defg']);
  });

  // A slow-loris body: one byte, then silence.
  it('[sec-28] gives up on a slow body', async () => {
    const { outcome, close } = await read({ bytesMax: 100, timeoutMs: 20 }, 'Content-Length: 10\r\n\r\n', 'a');
    expect(await outcome).toBe('request.timeout');
    close();
  });

  it('notices that the client left', async () => {
    const { socket, outcome, close } = await read({ bytesMax: 100 }, 'Content-Length: 10\r\n\r\n', 'abc');
    socket.destroy();
    expect(await outcome).toBe('request.malformed-json');
    close();
  });
});
