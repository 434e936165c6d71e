import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { CommandFailure } from '../failure';

/**
 * The typed text, which is not shown; the text of standard input when it is no terminal.
 * @param missing what is said of nothing
 * @throws CommandFailure
 */
export async function askSecret(question: string, missing: string): Promise<string> {
  const secret = process.stdin.isTTY ? await readSilently(question) : (await text(process.stdin)).trim();
  if (secret === '') throw new CommandFailure(`${missing} Type it, or send it to standard input.`);
  return secret;
}

async function readSilently(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readTyped(createInterface({ input: process.stdin, output: silent, terminal: true }));
  } finally {
    process.stderr.write('\n');
  }
}

/** The typed name of the thing to delete. @throws CommandFailure when there is no terminal */
export async function askName(name: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure(
      `Standard input is not a terminal, so the name cannot be typed: add --yes ${name}, or --dry-run to see what would be deleted. Nothing was deleted.`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.setPrompt(`Type ${name} to delete it: `);
  terminal.prompt();
  return await readTyped(terminal);
}

/** The first line; empty when the input ends before it. */
async function readTyped(terminal: Interface): Promise<string> {
  try {
    return await new Promise<string>((resolve) => {
      terminal.once('line', (line) => resolve(line.trim()));
      terminal.once('close', () => resolve(''));
    });
  } finally {
    terminal.close();
  }
}
