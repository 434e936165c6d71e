import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A service as the chart and its image run it. */
export interface Limited {
  /** The chart's memory limit, in bytes. */
  readonly limitBytes: number;
  /** What its image sets: NODE_OPTIONS, with the end of the heap that Node chooses in a container of this size, and MALLOC_*. */
  readonly env: Readonly<Record<string, string>>;
}

export type LimitedName = 'management' | 'search' | 'write-gateway' | 'batcher' | 'executor';

const root = join(__dirname, '..', '..');
const mebi = 1024 * 1024;

/** Reads `helm/sluice/values.yaml` and `docker/Dockerfile`, so that these tests fail for whoever lowers a limit there. */
export function limitedAs(name: LimitedName): Limited {
  const values = parse(readFileSync(join(root, 'helm/sluice/values.yaml'), 'utf8')) as {
    readonly services: Record<string, { readonly resources: { readonly limits: { readonly memory: string } } }>;
  };
  const memory = values.services[name]?.resources.limits.memory ?? '';
  const limitMiB = Number(/^(\d+)Mi$/.exec(memory)?.[1]);
  if (!(limitMiB > 0)) throw new Error(`the chart has no memory limit in Mi for ${name}: ${memory}`);
  const { NODE_OPTIONS: options = '', ...env } = imageEnv(name);
  // Half of the container, as Node 24 chooses by itself: where the suite makes no container, it has to be said.
  const heap = options.includes('--max-old-space-size') ? '' : ` --max-old-space-size=${limitMiB / 2}`;
  return { limitBytes: limitMiB * mebi, env: { ...env, NODE_OPTIONS: options + heap } };
}

/** What the stage all images are made from sets, and over it the image's own. */
function imageEnv(name: LimitedName): Record<string, string> {
  const stages = readFileSync(join(root, 'docker/Dockerfile'), 'utf8').split(/^FROM /m);
  const envOf = (isStage: (stage: string) => boolean): Record<string, string> => {
    const lines = (stages.find(isStage) ?? '').matchAll(/^ENV (.+)$/gm);
    const settings = [...lines].flatMap(([, line = '']) => [
      ...line.matchAll(/(NODE_OPTIONS|MALLOC_\w+)=("[^"]+"|\S+)/g),
    ]);
    return Object.fromEntries(settings.map(([, key = '', value = '']) => [key, value.replaceAll('"', '')]));
  };
  const env = {
    ...envOf((stage) => stage.includes('AS runtime\n')),
    ...envOf((stage) => stage.startsWith(`service AS ${name}\n`)),
  };
  if (env.NODE_OPTIONS === undefined) throw new Error(`the image of ${name} has no NODE_OPTIONS`);
  return env;
}

/** A process held to a limit by the kernel, which kills it there; where the machine lets nobody make a group, only measured. */
export interface MemoryGroup {
  readonly isEnforced: boolean;
  add(pid: number): void;
  remove(): void;
}

/** Version 1 of control groups has a folder of its own for memory, version 2 one for everything. */
const versions = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
];

export function createMemoryGroup(name: string, limitBytes: number): MemoryGroup {
  for (const { folder, limit } of versions) {
    const group = join(folder, `sluice-test-${process.pid}-${name}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    if (existsSync(join(group, limit))) {
      writeFileSync(join(group, limit), String(limitBytes));
      return {
        isEnforced: true,
        add: (pid) => writeFileSync(join(group, 'cgroup.procs'), String(pid)),
        remove: () => rmdirSync(group),
      };
    }
    rmdirSync(group);
  }
  return { isEnforced: false, add: () => undefined, remove: () => undefined };
}

/**
 * The most a process held since `forgetPeak`, in bytes, without the files it has mapped, which the kernel could drop; undefined for one that is
 * gone.
 */
export function peakBytesOf(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytesOf = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    const bytes = bytesOf('VmHWM') - bytesOf('RssFile');
    return Number.isNaN(bytes) ? undefined : bytes;
  } catch {
    return undefined;
  }
}

export function forgetPeak(pid: number): void {
  try {
    // "5" resets the peak: proc(5), /proc/pid/clear_refs.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // A kernel without it gives the peak of the whole run.
  }
}
