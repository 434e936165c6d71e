import { connect } from 'node:net';

/** Sends one command to a Redis. @returns the start of its reply; throws when Redis refuses */
export async function askRedis(redisUrl: string, ...command: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(redisUrl);
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  const reply = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`*${parts.length}\r\n${parts.join('')}`));
    socket.setTimeout(5_000, () => socket.destroy(new Error(`Redis did not answer ${command[0]}`)));
    socket.once('error', reject);
    socket.once('data', (chunk: Buffer) => {
      socket.end();
      resolve(chunk.toString());
    });
  });
  if (reply.startsWith('-')) throw new Error(`Redis answered ${command[0]}: ${reply.trim()}`);
  return reply;
}
