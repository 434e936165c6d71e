import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';

/** What is typed, without showing it; what standard input holds when nobody types. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asked = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve) => {
      asked.once('line', (line) => resolve(line.trim()));
      asked.once('close', () => resolve(''));
    });
  } finally {
    asked.close();
    process.stderr.write('\n');
  }
}
