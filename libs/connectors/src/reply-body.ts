import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { yieldToEventLoop, ByteBudget, heapShare, HeldBytes } from '@sluice/telemetry';
import { isExactNumber, scanJson, type JsonBounds, type JsonScan } from '@sluice/types';

/** A reply may grow by this factor when it is decompressed. */
const ratioMax = 100;
/** Below this size the ratio is not checked: a small JSON text of one repeated byte compresses far better. */
const ratioFloorBytes = 64 * 1024;
/** Above this size parsing holds the event loop for some milliseconds. */
const largeBytes = 1_048_576;
/** Some endpoints reply with one word: Salesforce's `Bad_OAuth_Token`. A longer page is cut. */
const textMax = 200;

const bounds = {
  /** Deeper JSON than any provider sends; what walks the value later may recurse. */
  depthMax: 64,
  /** HubSpot allows 1000 custom properties of an object, beside some hundred of its own; Salesforce 800 custom fields. */
  membersMax: 2_000,
  listItemsMax: Infinity,
  stringBytesMax: Infinity,
  /**
   * More values than any provider sends: a page of 100 records of 1000 properties has 100 000, the description of a large object 200 000. Ten
   * megabytes of empty lists would be three million, and fifty bytes each.
   */
  valuesMax: 400_000,
  /** A page of 100 records of 1000 properties, where each record lacks others. */
  shapes: { max: 100_000, seed: randomInt(2 ** 31) },
} satisfies JsonBounds;

/** Memory of a value and of a shape beside their text, counted like the text: see `shares`. A shape took 260 bytes while it was parsed. */
const weights = { value: 25, shape: 100 };

/** Why a reply is not parsed, as the end of a sentence. */
const excesses: Readonly<Partial<Record<NonNullable<JsonScan['excess']>, string>>> = {
  depth: `it is nested deeper than ${bounds.depthMax} levels`,
  members: `an object has more than ${bounds.membersMax} names`,
  values: `it has more than ${bounds.valuesMax} values`,
  shapes: `its objects have names in more than ${bounds.shapes.max} combinations`,
};

/** Both have a window of 32 KB. Brotli's has 16 MB and is not supported: we ask for no encoding. */
const decoders = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate) };
/** Memory of a decoder: its window, its state and a chunk of its output. */
const decoderBytes = 65_536;
const decodersMax = 16;

interface ReplyFailure {
  readonly fault: 'too-large' | 'undecodable' | 'timeout';
  /** In our words. */
  readonly reason: string;
}

/** The JSON value of a reply, or why there is none. An empty or a non-JSON body is no fault: `json` is absent. */
interface ReplyBody extends Partial<ReplyFailure> {
  readonly json?: unknown;
  /** The start of a body that is no JSON. */
  readonly text?: string;
}

/** A reply that has arrived whole. */
interface ArrivedReply {
  readonly bytes: Buffer;
  /** Its Content-Encoding. */
  readonly encoding: string | undefined;
  readonly bytesMax: number;
  /** Of `performance.now()`: how long it may wait for capacity. */
  readonly untilMs: number;
  /** What it holds; what its plain text and its values need is added. */
  readonly held: HeldBytes;
}

/** Decompresses (although we do not accept compression) and parses whatever the content type says. Never throws. */
export async function readReplyBody(arrived: ArrivedReply, room: ReplyRoom): Promise<ReplyBody> {
  const plain = await plainBytes(arrived, room);
  if (!Buffer.isBuffer(plain)) return plain;
  if (plain.length > largeBytes) await yieldToEventLoop();
  const text = new TextDecoder().decode(plain);
  const first = text.trimStart()[0];
  if (first === undefined) return {};
  let isInexact = false;
  if (first === '{' || first === '[') {
    const { excess, values, shapes, hasInexactNumber } = scanJson(text, bounds);
    if (excess) return { fault: 'undecodable', reason: excesses[excess] ?? excess };
    isInexact = hasInexactNumber;
    const weight = weights.value * values + weights.shape * shapes;
    if (weight > room.freeBytes && !(await room.values.take(weight, arrived.untilMs, arrived.held))) return noRoom;
    // Many values in little text hold the loop as well.
    if (weight > largeBytes && plain.length <= largeBytes) await yieldToEventLoop();
  }
  return parse(text, isInexact);
}

const noRoom = { fault: 'timeout', reason: 'there was no capacity for the reply in time' } as const;

export function isEncoded(encoding: string | undefined): encoding is string {
  return encoding !== undefined && !/^(identity)?$/i.test(encoding.trim());
}

/**
 * What a reply was before it was compressed. A few are decompressed at a time, each within the capacity that it reserved before.
 * @returns or why it is not known
 */
export async function plainBytes(arrived: ArrivedReply, room: ReplyRoom): Promise<Buffer | ReplyFailure> {
  const { bytes, encoding, bytesMax, untilMs, held } = arrived;
  if (bytes.length === 0 || !isEncoded(encoding)) return bytes;
  const name = encoding.trim().toLowerCase();
  if (!isKnown(name)) {
    const shown = name.replaceAll(/[^a-z0-9, -]/g, '?').slice(0, 40);
    return { fault: 'undecodable', reason: `it is encoded as ${shown}, and we asked for no encoding` };
  }
  const maxOutputLength = Math.min(bytesMax, Math.max(ratioFloorBytes, bytes.length * ratioMax));
  // One that needed capacity to arrive has taken all that it may grow to: see Exchange.
  const isCovered = bytes.length > room.freeBytes || maxOutputLength <= room.freeBytes;
  if (!isCovered && (await room.take(maxOutputLength, maxOutputLength, untilMs, held)) === undefined) return noRoom;
  const decoding = new HeldBytes(...held.owners);
  if (!(await room.decoders.take(decoderBytes, untilMs, decoding))) return noRoom;
  try {
    return await decoders[name](bytes, { maxOutputLength });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) return { fault: 'too-large', reason: `it grows to more than ${maxOutputLength} bytes` };
    return { fault: 'undecodable', reason: `its ${name} is broken` };
  } finally {
    decoding.end();
  }
}

function isKnown(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name);
}

function parse(text: string, isInexact: boolean): ReplyBody {
  try {
    return { json: isInexact ? (JSON.parse(text, keepDigits) as unknown) : JSON.parse(text) };
  } catch {
    return { text: text.slice(0, textMax) };
  }
}

/** A number that JavaScript cannot hold becomes a text of its digits, so that no id and no amount changes. */
function keepDigits(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && !isExactNumber(source) ? source : value;
}

/**
 * Bytes of provider replies that a process holds at once. Most replies have some kB and need no reservation. A larger reply waits for capacity before
 * it is read on, and keeps it until its caller is done. Its text, its value and the results take several times its size.
 */
export interface ReplyRoom {
  /** Size up to which a reply needs no reservation. */
  readonly freeBytes: number;
  /**
   * @param arrivedBytes what has come of it
   * @param announcedBytes its Content-Length; absent: as much as is read of any
   * @param held of this reply alone
   * @returns for how many bytes there is capacity; undefined when there was none by `untilMs`
   */
  take(
    arrivedBytes: number,
    announcedBytes: number | undefined,
    untilMs: number,
    held: HeldBytes,
  ): Promise<number | undefined>;
  /** What the values of a reply cost beside its text. Taken after `take`, never before: no reply that waits here holds up one that has its values. */
  readonly values: ByteBudget;
  /** Taken last, and given back before anything else is waited for. */
  readonly decoders: ByteBudget;
}

/** Largest reply that is read. A full HubSpot batch reply is below 1 MB. */
export const replyBytesMax = 10 * 1024 * 1024;
/** A batch of 100 records of a few short fields. */
const freeBytes = 65_536;
/** A full batch reply of HubSpot is below it. */
const mediumBytes = 1_048_576;
/**
 * Shares of the heap. The two budgets are separate: a reply that outgrows the first waits for the second while it holds the first, never the other
 * way round. A call releases the capacity of one reply before it makes its next request. So no waiting reply holds capacity that another waits for. A
 * reply of 10 MB took up to 100 MB until its answer was out, so with the heaps of the chart such replies are read one at a time.
 */
const shares = { medium: 16, large: 24, values: 24 };

export function createReplyRoom(): ReplyRoom {
  const medium = new ByteBudget(heapShare(shares.medium));
  const large = new ByteBudget(heapShare(shares.large));
  return {
    freeBytes,
    values: new ByteBudget(heapShare(shares.values)),
    decoders: new ByteBudget(decodersMax * decoderBytes),
    take: async (arrivedBytes, announcedBytes, untilMs, held) => {
      const unannounced = arrivedBytes <= mediumBytes ? mediumBytes : replyBytesMax;
      const bytes = Math.min(announcedBytes ?? unannounced, replyBytesMax);
      return (await (bytes <= mediumBytes ? medium : large).take(bytes, untilMs, held)) ? bytes : undefined;
    },
  };
}
