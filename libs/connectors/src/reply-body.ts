import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { ownTurn, createByteBudget, heapShare, type HeldBytes } from '@sluice/telemetry';

/** A reply may grow by this factor when it is decompressed. */
const ratioMax = 100;
/** Below this size the ratio means nothing: a small JSON text of one repeated byte compresses far better. */
const ratioFloorBytes = 64 * 1024;
/** Above this size parsing holds the event loop for some milliseconds. */
const largeBytes = 1_048_576;
/** Some endpoints reply with one word: Salesforce's `Bad_OAuth_Token`. More of a page is of no use. */
const textMax = 200;
/** Deeper JSON than any provider sends; what walks the value later may recurse. */
const depthMax = 64;
/**
 * More values than any provider sends: a page of 100 records of 1000 properties has 100 000, the description of a large object 200 000. Ten
 * megabytes of empty lists would be three million, and fifty bytes each.
 */
const valuesMax = 400_000;

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** The JSON value of a reply, or why there is none. An empty or a non-JSON body is no fault: `json` is absent. */
interface ReplyBody {
  readonly json?: unknown;
  /** The start of a body that is no JSON. */
  readonly text?: string;
  readonly fault?: 'too-large' | 'undecodable';
}

/** Decompresses (although we do not accept compression) and parses whatever the content type says. Never throws. */
export async function readReplyBody(
  bytes: Buffer,
  contentEncoding: string | undefined,
  bytesMax: number,
): Promise<ReplyBody> {
  try {
    const plain = await decompress(bytes, contentEncoding, bytesMax);
    if (plain !== undefined && plain.length > largeBytes) await ownTurn();
    return plain === undefined ? { fault: 'undecodable' } : parse(new TextDecoder().decode(plain));
  } catch (error) {
    return { fault: codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'undecodable' };
  }
}

/** How large a reply may become when it is decompressed; undefined for one that is not compressed. */
export function grownBytesMax(bytes: Buffer, encoding: string | undefined, bytesMax: number): number | undefined {
  const isPlain = encoding === undefined || /^(identity)?$/i.test(encoding.trim());
  return isPlain ? undefined : Math.min(bytesMax, Math.max(ratioFloorBytes, bytes.length * ratioMax));
}

async function decompress(bytes: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer | undefined> {
  const maxOutputLength = grownBytesMax(bytes, encoding, bytesMax);
  if (maxOutputLength === undefined || bytes.length === 0) return bytes;
  const name = encoding?.trim().toLowerCase() ?? '';
  return isKnown(name) ? decoders[name](bytes, { maxOutputLength }) : undefined;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function isKnown(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name);
}

function parse(text: string): ReplyBody {
  if (!text.trim()) return {};
  if (isTooMuch(text)) return { fault: 'undecodable' };
  try {
    return { json: longDigits.test(text) ? (JSON.parse(text, keepDigits) as unknown) : JSON.parse(text) };
  } catch {
    return { text: text.slice(0, textMax) };
  }
}

/** Only such numbers can lose digits; most replies have none, and are spared the slower reader. */
const longDigits = /\d{16}/;

/** A whole number that JavaScript cannot hold stays its digits, as text: an id must not come out as another one. */
function keepDigits(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  const isLost = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '');
  return isLost ? source : value;
}

/** Counts brackets and commas outside of strings; cheaper than walking the parsed value. */
function isTooMuch(text: string): boolean {
  let depth = 0;
  let values = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString && code === 0x5c) at++;
    else if (code === 0x22) isInString = !isInString;
    else if (isInString) continue;
    else if (code === 0x2c) values++;
    else if (code === 0x5b || code === 0x7b) {
      depth++;
      values++;
    } else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > depthMax || values > valuesMax) return true;
  }
  return false;
}

/**
 * Bytes of provider replies that a process holds at once. Most replies have some kB and need no reservation. A larger one waits for capacity before it is
 * read on, and keeps it until its caller is done: its text, its value and what is made of them cost several times its size.
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
}

/** Largest reply that is read. A full HubSpot batch reply is below 1 MB. */
export const replyBytesMax = 10 * 1024 * 1024;
/** A batch of 100 records of a few short fields. */
const freeBytes = 65_536;
/** A full batch reply of HubSpot is below it. */
const mediumBytes = 1_048_576;
/**
 * Of the heap. The two are apart, so that a reply which outgrows the first waits for the second while it holds the first, and never the other way
 * round; and a call releases the capacity of one reply before it makes its next request. So no reply that waits holds what another waits for. A reply of 10 MB was seen to take up to 100 MB until it was answered with, so with the heaps of the chart they go one at a
 * time.
 */
const shares = { medium: 16, large: 24 };

export function createReplyRoom(): ReplyRoom {
  const medium = createByteBudget(heapShare(shares.medium));
  const large = createByteBudget(heapShare(shares.large));
  return {
    freeBytes,
    take: async (arrivedBytes, announcedBytes, untilMs, held) => {
      const unannounced = arrivedBytes <= mediumBytes ? mediumBytes : replyBytesMax;
      const bytes = Math.min(announcedBytes ?? unannounced, replyBytesMax);
      return (await (bytes <= mediumBytes ? medium : large).take(bytes, untilMs, held)) ? bytes : undefined;
    },
  };
}
