import { Presets, SingleBar } from 'cli-progress';
import { pluralize } from './print';

/** How far an operation is. */
export interface Standing {
  readonly total: number;
  readonly written: number;
  readonly failed: number;
  readonly phase: string;
}

export interface Progress {
  show(standing: Standing): void;
  /** Leaves what was shown last. May be repeated. */
  end(): void;
}

/** A bar on a terminal; elsewhere a line whenever something has changed. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? createBar(stream) : createLines(stream);
}

function createBar(stream: NodeJS.WriteStream): Progress {
  const format = '{bar} {value}/{total}  {written} written, {failed} failed  {phase}';
  const bar = new SingleBar({ format, stream, hideCursor: true, barsize: 30 }, Presets.shades_classic);
  let isStarted = false;
  return {
    show: ({ total, ...rest }) => {
      const done = rest.written + rest.failed;
      if (!isStarted) bar.start(total, done, rest);
      isStarted = true;
      // A batch grows while it collects.
      bar.setTotal(total);
      bar.update(done, rest);
    },
    end: () => bar.stop(),
  };
}

function createLines(stream: NodeJS.WriteStream): Progress {
  let last = '';
  return {
    show: ({ total, written, failed, phase }) => {
      const line = `${pluralize(total, 'record')}: ${written} written, ${failed} failed; ${phase}`;
      if (line !== last) stream.write(`${line}\n`);
      last = line;
    },
    end: () => undefined,
  };
}
