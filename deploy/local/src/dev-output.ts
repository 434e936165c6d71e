import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

/** Members that every line has and that a person at the terminal knows already. */
const known = new Set(['level', 'time', 'pid', 'service', 'event']);

/** A line of a service's log for a person: `21:26:01 info write.attempted operationId=…`. Other text stays as it is. */
export function formatLine(line: string): string {
  const entry = parse(line);
  if (entry === undefined) return line;
  const fields = Object.entries(entry)
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const time = String(entry.time).slice(11, 19);
  return [time, String(entry.level), String(entry.event), ...fields].join(' ');
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as Record<string, unknown>;
    return typeof entry.event === 'string' && typeof entry.time === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

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
