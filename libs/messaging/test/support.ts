import { connect, type Socket } from 'node:net';
import type { Metrics } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import type { ISocketFactory } from 'kafkajs';
import type { ConsumeOptions, Messaging } from '../src/messaging';
import { partitionKey, topics } from '../src/topics';

/** Test support: longest wait for anything that is expected to happen; longer than a session timeout and a rebalance. */
const boundMs = 60_000;

/** A member of the group `executor` on `ready`. */
export function consume(handle: ConsumeOptions['handle']): ConsumeOptions {
  return { topic: topics.ready, group: 'executor', handle };
}

/** A member that collects what it receives. */
export async function consumeReady(messaging: Messaging, group = 'executor'): Promise<WriteAnnouncement[]> {
  const received: WriteAnnouncement[] = [];
  const handle = async (writes: WriteAnnouncement[]) => void received.push(...writes);
  await messaging.consume({ ...consume(handle), group });
  return received;
}

/** The same, joined when this returns. */
export async function consuming(messaging: Messaging, group?: string): Promise<WriteAnnouncement[]> {
  const received = await consumeReady(messaging, group);
  await eventually(() => messaging.healthy());
  return received;
}

/** Announces on `ready`. */
export function announce(messaging: Messaging, announced: WriteAnnouncement): void {
  messaging.announcer(topics.ready).announce(partitionKey(announced), announced);
}

/** An announcement of one installation; `index` distinguishes them. */
export function write(installationId: string, index: number, more: Partial<WriteAnnouncement> = {}): WriteAnnouncement {
  return {
    projectId: 'project-1',
    operationId: `operation-${index}`,
    installationId,
    laneId: 'lane-1',
    objectName: 'contacts',
    type: 'create',
    index,
    acceptedAt: '2026-11-20T09:59:00.000Z',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ...more,
  };
}

/** Waits until `check` holds; fails after the bound. */
export async function eventually(check: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const end = performance.now() + boundMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`did not happen within ${boundMs} ms: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Lets callers wait until it is opened. */
export function barrier() {
  let release: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (release = resolve));
  const state = { waiting: 0, open: () => release(), pass: () => ((state.waiting += 1), opened) };
  return state;
}

/** Sum of a metric's samples, of those that name `label` if given. */
export async function metric(metrics: Metrics, name: string, label = ''): Promise<number> {
  const { body } = await metrics.expose();
  const lines = body.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** A network between one messaging and the broker that can be cut and mended. */
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
    const writeFrame = socket.write.bind(socket);
    socket.write = (frame: Buffer) => {
      if (frame.readInt16BE(4) === produceKey) produceRequests += 1;
      return writeFrame(frame);
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
