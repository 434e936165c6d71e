/** What a customer connected. Anybody can forge an address or a message: read the installation with your key before you rely on it. */
export interface ConnectResult {
  readonly installationId: string;
  readonly connectionId: string;
}

export interface OpenConnectOptions {
  /** `url` of a connect session. */
  readonly url: string;
  /** Ends the wait; the window stays open. */
  readonly signal?: AbortSignal;
}

interface OpenedWindow {
  close(): void;
}

interface Message {
  readonly origin: string;
  readonly source: unknown;
  readonly data: { readonly eventType?: unknown; readonly data?: ConnectResult } | undefined;
}

/** As much of a browser's window as is used: the types of this package need none of a browser. */
interface BrowserWindow extends OpenedWindow {
  readonly location: { readonly href: string };
  open(url: string, name: string, features: string): OpenedWindow | null;
  addEventListener(type: 'message', listener: (message: Message) => void): void;
  removeEventListener(type: 'message', listener: (message: Message) => void): void;
}

/** Between a page that waits and the page at `returnUrl`, which are of one origin. */
interface Note {
  readonly session: string | null;
  readonly result?: ConnectResult;
}

const channelName = 'sluice-connect';
type Channel = InstanceType<typeof BroadcastChannel>;
const onNote = (channel: Channel, listener: (note: Note) => void): void =>
  channel.addEventListener('message', (message) =>
    listener((message as unknown as { readonly data: unknown }).data as Note),
  );
const send = (channel: Channel, note: Note): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel is of one origin.
  channel.postMessage(note);
};
const browser = () => globalThis as unknown as BrowserWindow;

/**
 * Opens the connect page in a window of its own, and closes it when the customer has finished. Call it in the handler of a click: otherwise a browser opens
 * no window. The session needs a `returnUrl`. Where the provider cuts the window off from yours, the page leads there, and `finishConnect` on that page
 * hands the result over. A window that the customer closes cannot be told from one that was cut off: then the promise stays pending.
 * @throws Error when the browser opens no window; the reason of `signal` when it aborts
 */
export async function openConnect({ url, signal }: OpenConnectOptions): Promise<ConnectResult> {
  signal?.throwIfAborted();
  const window = browser();
  const opened = window.open(url, '_blank', 'popup,width=540,height=760');
  if (opened === null)
    throw new Error(
      'The browser opened no window: call openConnect in the handler of a click, or lead this tab to url.',
    );
  const { origin, hash } = new URL(url);
  const channel = new BroadcastChannel(channelName);
  let onMessage: (message: Message) => void = () => {};
  try {
    const session = await sessionOf(hash.slice(1));
    return await new Promise((resolve, reject) => {
      onMessage = ({ origin: from, source, data }) => {
        if (from === origin && source === opened && data?.eventType === 'CONNECT_FINISHED' && data.data)
          resolve(data.data);
      };
      window.addEventListener('message', onMessage);
      onNote(channel, (data) => {
        if (data.session !== session || data.result === undefined) return;
        send(channel, { session });
        resolve(data.result);
      });
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  } finally {
    window.removeEventListener('message', onMessage);
    channel.close();
    if (signal?.aborted !== true) opened.close();
  }
}

/**
 * For the page at `returnUrl`: what the customer connected, as the address says. Where the page stands in a window that `openConnect` opened, it hands
 * the result to the page that waits, which closes this window.
 * @returns undefined where the address has no result
 */
export function finishConnect(): ConnectResult | undefined {
  const window = browser();
  const { searchParams } = new URL(window.location.href);
  const [installationId, connectionId] = [searchParams.get('installationId'), searchParams.get('connectionId')];
  if (installationId === null || connectionId === null) return undefined;
  const session = searchParams.get('connectSession');
  const channel = new BroadcastChannel(channelName);
  onNote(channel, (data) => {
    if (data.session !== session || data.result !== undefined) return;
    channel.close();
    window.close();
  });
  const result = { installationId, connectionId };
  send(channel, { session, result });
  return result;
}

/** What names a session in an address, and opens nothing: the beginning of SHA-256 of its token. The connect page makes the same. */
async function sessionOf(token: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)));
  return Array.from(digest.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
