import { connect, type Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';

/** Test support: a network between one messaging and the broker that can be cut and mended. */
export interface SwitchableNetwork {
  readonly socketFactory: ISocketFactory;
  /** Requests of Kafka's Produce API sent so far. */
  readonly produceRequests: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  mend(): void;
}

/** Nothing listens there. */
const refusingPort = 1;
/** Api key of Produce in a Kafka request: bytes 4 and 5 of the frame. Source: the Kafka protocol guide. */
const produceKey = 0;

export function switchableNetwork(): SwitchableNetwork {
  const sockets = new Set<Socket>();
  let isCut = false;
  let produceRequests = 0;
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port: isCut ? refusingPort : port }, onConnect);
    const write = socket.write.bind(socket);
    socket.write = (frame: Buffer) => {
      if (frame.readInt16BE(4) === produceKey) produceRequests += 1;
      return write(frame);
    };
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  return {
    socketFactory,
    get produceRequests() {
      return produceRequests;
    },
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy(new Error('read ECONNRESET'));
    },
    mend: () => {
      isCut = false;
    },
  };
}
