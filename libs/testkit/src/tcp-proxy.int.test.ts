import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

let echo: Server;
let proxy: TcpProxy;
beforeEach(async () => {
  echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await startTcpProxy(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
});
afterEach(() => {
  proxy.close();
  echo.close();
});

async function dial(): Promise<Socket> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  let got = '';
  while (got.length < text.length) got += String((await once(socket, 'data'))[0]);
  return got;
}

it('passes bytes both ways', async () => {
  const socket = await dial();
  await expect(ask(socket, 'hello')).resolves.toBe('hello');
  socket.destroy();
});

it('cuts what is connected, refuses what comes, and works again when mended', async () => {
  const socket = await dial();
  const closed = once(socket, 'close');
  proxy.cut();
  await closed;
  await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.mend();
  const again = await dial();
  await expect(ask(again, 'back')).resolves.toBe('back');
  again.destroy();
});

it('resets what is connected and takes new connections', async () => {
  const socket = await dial();
  await ask(socket, 'x');
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
  proxy.reset();
  expect((await failed).code).toBe('ECONNRESET');
  const again = await dial();
  await expect(ask(again, 'y')).resolves.toBe('y');
  again.destroy();
});

it('delays, slices and throttles, and keeps the order', async () => {
  const socket = await dial();
  proxy.disturb({ latencyMs: 20, jitterMs: 10, sliceBytes: 3, bytesPerSecond: 10_000 });
  const startedAtMs = performance.now();
  await expect(ask(socket, 'abcdefghijklmnopqrstuvwxyz')).resolves.toBe('abcdefghijklmnopqrstuvwxyz');
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(35);
  proxy.disturb();
  await expect(ask(socket, 'fast')).resolves.toBe('fast');
  socket.destroy();
});

it('delivers nothing while silent', async () => {
  const reached = new Promise((resolve) => echo.once('connection', (at: Socket) => at.once('data', resolve)));
  const socket = await dial();
  proxy.disturb({ silent: 'reply' });
  socket.write('lost');
  await reached;
  // From there the answer has only the loopback before it.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  proxy.disturb();
  await expect(ask(socket, 'heard')).resolves.toBe('heard');
  socket.destroy();
});

it('resets a reply that is longer than allowed', async () => {
  const socket = await dial();
  proxy.disturb({ replyBytesMax: 4 });
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
  socket.write('far too long');
  expect((await failed).code).toBe('ECONNRESET');
});

// The echo stands for Postgres: what it answers ends with ReadyForQuery.
it('loses the answer to every second statement, and nobody hears of it', async () => {
  proxy.loseEveryAnswerTo(['COMMIT'], 2);
  const statement = `COMMIT\u005a\0\0\0\u0005`;
  const first = await dial();
  await expect(ask(first, statement)).resolves.toBe(statement);
  const closed = once(first, 'close');
  first.write(statement);
  await closed;
  expect(proxy.lost()).toBe(1);
  proxy.loseEveryAnswerTo([], 0);
  const last = await dial();
  await expect(ask(last, statement)).resolves.toBe(statement);
  last.destroy();
});
