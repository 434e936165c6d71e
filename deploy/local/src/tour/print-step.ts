import type { StepLine } from './tour';

/** Takes lines for the person who watches. */
export type Print = (line: string) => void;

/** Longest wait between two replies that is shown in milliseconds. */
const msMax = 10_000;

/** One line: number, name, duration, what was sent, what came back, what the CRM has. */
export function stepLine(number: number, title: string, { sent, got, crm, tookMs }: StepLine): string {
  return `${head(number, title)}  ok ${duration(tookMs).padStart(8)}  ${sent} -> ${got}; ${crm}`;
}

export function failureLine(number: number, title: string, sentence: string): string {
  return `${head(number, title)}  FAILED      ${sentence}`;
}

/** `7 ms`, `0.4 ms`, `61.3 s`. */
function duration(ms: number): string {
  if (ms >= msMax) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(1)} ms`;
}

function head(number: number, title: string): string {
  return `${String(number).padStart(2)}  ${title.padEnd(26)}`;
}
