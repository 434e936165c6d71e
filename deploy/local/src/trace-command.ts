import { readFileSync } from 'node:fs';
import { DependencyError } from '@sluice/errors';
import { readSpanFile, type Span, renderOperationTraces } from './spans';

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
  process.stdout.write(renderOperationTraces(spansOf(file), operationId));
  return 0;
}

function spansOf(file: string): Span[] {
  try {
    return readSpanFile(readFileSync(file, 'utf8'));
  } catch (cause) {
    const detail = `${file} cannot be read as spans: ${cause instanceof Error ? cause.message : String(cause)}`;
    const remedy = "It is to hold what a collector's file exporter wrote: OTLP as JSON, one export per line.";
    throw new DependencyError({ code: 'service.unavailable', detail, remedy, cause });
  }
}
