import { createSocket, type RemoteInfo } from 'node:dgram';

const typeA = 1;
const typeAaaa = 28;

/** A name server that knows some names, and does not answer for others. */
export interface DnsStub {
  /** `127.0.0.1:port`. */
  readonly server: string;
  /** Names that were asked for, each once for every question. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** @param answer addresses of a name; none: the name does not exist; `silence`: nothing is said */
export async function startDnsStub(answer: (name: string) => readonly string[] | 'silence'): Promise<DnsStub> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question: Buffer, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(question);
    asked.push(name);
    const addresses = answer(name);
    if (addresses === 'silence') return;
    const fitting = addresses.filter((address) => address.includes(':') === (type === typeAaaa));
    const isKnown = addresses.length > 0;
    socket.send(reply(question.subarray(0, end), type === typeA ? fitting : [], isKnown), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The name in labels behind the header of 12 bytes, then type and class. Source: RFC 1035, 4.1. */
function readQuestion(question: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 };
}

function reply(question: Buffer, addresses: readonly string[], isKnown: boolean): Buffer {
  const head = Buffer.from(question);
  // A response, recursion available; code 3: no such name.
  head.writeUInt16BE(0x8180 | (isKnown ? 0 : 3), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const answers = addresses.map((address) =>
    // The name by pointer, type A, class IN, TTL 0, four bytes.
    Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...answers]);
}
