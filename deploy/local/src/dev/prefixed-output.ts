import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { formatLine } from './format-line';

const colours = ['cyan', 'magenta', 'green', 'yellow', 'blue', 'red', 'gray'] as const;
const width = 'write-gateway'.length;
let given = 0;

/** Prints lines after a name; each name has its own colour in a terminal, and none elsewhere. */
export function createPrinter(name: string): (line: string) => void {
  const colour = colours[given % colours.length] ?? 'gray';
  given += 1;
  const prefix = styleText(colour, `${name.padEnd(width)} |`, { stream: process.stdout });
  return (line) => void process.stdout.write(`${prefix} ${line}\n`);
}

/** Prints what a child writes, a line at a time. */
export function printOutput(child: ChildProcess, print: (line: string) => void): void {
  for (const input of [child.stdout, child.stderr]) {
    if (input) createInterface({ input }).on('line', (line) => print(formatLine(line)));
  }
}
