import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * The wire between one party and the broker. A broker names itself in its replies, and clients go where it says: so the wire reads the
 * protocol's frames and puts its own address there.
 */
export interface KafkaWire {
  /** What the party takes for `KAFKA_BROKERS`. */
  readonly brokers: string;
  /** Which messages are disturbed from now on; nothing: none. */
  disturb(fault?: KafkaFault): void;
  /** Acknowledgements that were lost, and messages that were written twice. */
  counts(): { readonly lostAcks: number; readonly repeats: number };
  close(): void;
}

export interface KafkaFault {
  /** Of so many requests to produce one is appended and its connection cut before the acknowledgement. */
  readonly loseAckEvery?: number;
  /** Of so many requests to produce one is appended twice. */
  readonly repeatEvery?: number;
}

/** Requests by their key. Source: the Kafka protocol guide, "Api keys". */
const produce = 0;
const metadata = 3;
const findCoordinator = 10;

/** @param target host:port of the broker, as it names itself */
export async function startKafkaWire(target: string): Promise<KafkaWire> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  const counts = { lostAcks: 0, repeats: 0 };
  let fault: KafkaFault = {};
  let produced = 0;
  const isEvery = (nth: number | undefined): boolean => nth !== undefined && produced % nth === 0;
  const server = createServer({ noDelay: true }, (client) => {
    const broker = connect({ port: Number(port), host, noDelay: true });
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        broker.destroy();
      });
    }
    /** What is to be done with the reply to a request, by its correlation id. */
    const plans = new Map<number, 'name' | 'lose' | 'drop-second'>();
    /** Second replies to requests that were repeated, which are still to come. */
    const dropped = new Set<number>();
    eachFrame(client, (frame) => {
      const [key, id] = [frame.readInt16BE(4), frame.readInt32BE(8)];
      broker.write(frame);
      if (key === metadata || key === findCoordinator) plans.set(id, 'name');
      if (key !== produce) return;
      produced += 1;
      if (isEvery(fault.loseAckEvery)) plans.set(id, 'lose');
      else if (isEvery(fault.repeatEvery)) {
        plans.set(id, 'drop-second');
        broker.write(frame);
      }
    });
    eachFrame(broker, (frame) => {
      const id = frame.readInt32BE(4);
      const plan = plans.get(id);
      plans.delete(id);
      if (plan === 'lose') {
        counts.lostAcks += 1;
        client.destroy();
      } else if (plan === 'drop-second') {
        counts.repeats += 1;
        dropped.add(id);
        client.write(frame);
      } else if (!dropped.delete(id)) client.write(plan === 'name' ? renamed(frame) : frame);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  const [theirs, ours] = [addressBytes(host, Number(port)), addressBytes('127.0.0.1', own)];
  const renamed = (frame: Buffer): Buffer => {
    for (let at = frame.indexOf(theirs); at !== -1; at = frame.indexOf(theirs, at + ours.length)) ours.copy(frame, at);
    return frame;
  };
  return {
    brokers: `127.0.0.1:${own}`,
    disturb: (next = {}) => void (fault = next),
    counts: () => ({ ...counts }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A host and a port as replies carry them: the text's length, the text, four bytes. Both addresses are equally long. */
function addressBytes(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(2 + host.length + 4);
  bytes.writeInt16BE(host.length);
  bytes.write(host, 2);
  bytes.writeInt32BE(port, 2 + host.length);
  return bytes;
}

/** Calls `take` with each whole frame: four bytes that say its length, then so many. */
function eachFrame(socket: Socket, take: (frame: Buffer) => void): void {
  let held: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readInt32BE(0)) {
      const length = 4 + held.readInt32BE(0);
      take(held.subarray(0, length));
      held = held.subarray(length);
    }
  });
}
