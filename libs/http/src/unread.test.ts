import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { stalledMs } from './unread';

// The bytes of one write count as sent only when the system has taken all of them.
it('a client that reads a large piece slowly makes progress', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const [sender] = (await once(server, 'connection')) as [Socket];
  const piece = Buffer.alloc(64_000_000);
  sender.write(piece);
  expect(stalledMs(sender)).toBe(0);
  let received = 0;
  for (reader.resume(); received < piece.length / 2;) received += ((await once(reader, 'data')) as [Buffer])[0].length;
  expect([sender.writableLength, stalledMs(sender)]).toEqual([piece.length, 0]);
  reader.pause();
  // Nothing is read any more: what the system still takes ends.
  while (stalledMs(sender) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  reader.destroy();
  sender.destroy();
  server.close();
});
