import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@sluice/testkit';

const root = join(__dirname, '../../..');

/** What a process that runs with `--inspect` has executed of our sources. */
export interface ExecutedFiles {
  /** Files with a function that ran since the previous call: `libs/http/src/route.ts`. */
  take(): Promise<Set<string>>;
  close(): void;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/**
 * By V8's precise coverage, through the inspector of a process of ours.
 * @param logFile where the process has written the address of its inspector
 */
export async function watchExecuted(logFile: string): Promise<ExecutedFiles> {
  const url = await until(
    'the inspector',
    async () => /Debugger listening on (ws:\S+)/.exec(readFileSync(logFile, 'utf8'))?.[1],
  );
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  let sent = 0;
  const send = <T>(method: string, params: object = {}): Promise<T> => {
    const id = (sent += 1);
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => {
      const onMessage = ({ data }: MessageEvent): void => {
        const reply = JSON.parse(String(data)) as { readonly id?: number; readonly result: T };
        if (reply.id !== id) return;
        socket.removeEventListener('message', onMessage);
        resolve(reply.result);
      };
      socket.addEventListener('message', onMessage);
    });
  };
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    take: async () => {
      const { result } = await send<Coverage>('Profiler.takePreciseCoverage');
      const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
      return new Set(ran.flatMap((script) => sourceOf(script.url)));
    },
    close: () => socket.close(),
  };
}

/** The source that a script was compiled from; none for what is not ours. */
function sourceOf(url: string): string[] {
  if (!url.startsWith('file:')) return [];
  const path = fileURLToPath(url);
  if (!path.startsWith(`${root}/`) || path.includes('/node_modules/')) return [];
  const [, folder, file] = /^((?:libs|services)\/[^/]+)\/dist\/(.+)\.js$/.exec(path.slice(root.length + 1)) ?? [];
  // A barrel runs whenever what it names is used.
  return folder === undefined || file === 'index' ? [] : [`${folder}/src/${file}.ts`];
}
