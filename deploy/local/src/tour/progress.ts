import { Presets, SingleBar } from 'cli-progress';
import type { Print } from './print-step';

/** How a wait goes on. */
export interface Progress {
  update(elapsedMs: number, text: string): void;
  /** Takes the bar away. */
  end(): void;
}

/** Without a terminal a bar would be noise: a line now and then. */
const lineEveryMs = 10_000;

/** @param expectedMs how long the wait will take, for the bar */
export function createProgress(expectedMs: number, print: Print): Progress {
  return process.stdout.isTTY ? createBar(expectedMs) : createLines(expectedMs, print);
}

function createBar(expectedMs: number): Progress {
  const format = '    {bar} {seconds} s of about {expected} s, {text}';
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true, barsize: 30 }, Presets.shades_classic);
  bar.start(expectedMs, 0, { seconds: 0, expected: seconds(expectedMs), text: '' });
  return {
    update: (elapsedMs, text) => bar.update(Math.min(elapsedMs, expectedMs), { seconds: seconds(elapsedMs), text }),
    end: () => bar.stop(),
  };
}

function createLines(expectedMs: number, print: Print): Progress {
  let nextAtMs = 0;
  return {
    update: (elapsedMs, text) => {
      if (elapsedMs < nextAtMs) return;
      nextAtMs = (Math.floor(elapsedMs / lineEveryMs) + 1) * lineEveryMs;
      print(`    ${seconds(elapsedMs)} s of about ${seconds(expectedMs)} s, ${text}`);
    },
    end: () => undefined,
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
