import { readFileSync } from 'node:fs';
import { readSpanFile } from './traces/read-spans';
import { tellStory } from './traces/tell-story';

const usage = `npm run trace -- <file> <operation id>
  file          what a collector's file exporter wrote: OTLP as JSON, one export per line
  operation id  what the write answered
`;

/** `npm run trace -- <file> <operation id>`: prints what became of an operation. @returns the exit code */
export async function run([file, operationId, ...more]: readonly string[]): Promise<number> {
  if (file === undefined || operationId === undefined || more.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  process.stdout.write(tellStory(readSpanFile(readFileSync(file, 'utf8')), operationId));
  return 0;
}
