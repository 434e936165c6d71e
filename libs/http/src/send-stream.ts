import type { Response } from 'express';

/** Up to here a reply is sent whole, with its length, and checked where replies are checked. */
const wholeCharactersMax = 1_000_000;
/** How long a client may take nothing of a reply. What is not sent yet stands in our memory. */
const unreadMs = 30_000;

/**
 * Answers with JSON that need not stand in memory at once: pieces of its text are asked for as fast as the client reads. Who reads nothing for
 * 30 s is cut off. A failure before the first megabyte is answered as any other; a later one breaks the connection, because the status is out.
 */
export async function sendStream(res: Response, status: number, pieces: AsyncIterable<string>): Promise<void> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < (res.headersSent ? res.writableHighWaterMark : wholeCharactersMax)) continue;
    if (!res.headersSent) res.status(status).setHeader('Content-Type', 'application/json');
    if (!res.write(text)) await drained(res);
    // The caller left: nobody asks for the rest.
    if (res.destroyed) return;
    text = '';
  }
  if (!res.headersSent) {
    res.status(status).setHeader('Content-Type', 'application/json');
    res.setHeader('Content-Length', Buffer.byteLength(text));
  }
  res.end(res.req.method === 'HEAD' ? undefined : text);
}

/** Cuts off who does not read the rest of a reply that has ended. */
export function cutUnread(res: Response): void {
  if (res.writableLength <= res.writableHighWaterMark) return;
  const timer = setTimeout(() => res.destroy(), unreadMs).unref();
  res.on('close', () => clearTimeout(timer));
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      res.off('drain', end).off('close', end);
      resolve();
    };
    const timer = setTimeout(() => res.destroy(), unreadMs).unref();
    res.on('drain', end).on('close', end);
  });
}

/**
 * The text of a JSON list, an item at a time.
 * @param around what stands before and after the items. @default a list alone
 */
export async function* listText(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  [before, after]: readonly [string, string] = ['[', ']'],
): AsyncGenerator<string> {
  let separator = before;
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === before ? before + after : after;
}
