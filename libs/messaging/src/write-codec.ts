import type { WriteAnnouncement } from '@sluice/types';

/** What a message turned out to hold. `problem` says why it is not one of ours. */
export type DecodedMessage = { readonly writes: WriteAnnouncement[] } | { readonly problem: string };

const required = [
  'projectId',
  'operationId',
  'installationId',
  'laneId',
  'objectName',
  'type',
  'acceptedAt',
  'traceparent',
] as const satisfies readonly (keyof WriteAnnouncement)[];

/** The value of a message, from announcements already in JSON: `{"writes":[…]}`. */
export function encodeMessage(bodies: readonly string[]): string {
  return `{"writes":[${bodies.join(',')}]}`;
}

/** Reads the value of a message. Never throws: a stranger's message must not stop a partition. */
export function decodeMessage(value: Buffer | string | null): DecodedMessage {
  if (value === null) return { problem: 'the value is empty' };
  const body = parse(value.toString());
  if (!isRecord(body)) return { problem: 'the value is not a JSON object' };
  const writes: unknown = body['writes'];
  if (!Array.isArray(writes)) return { problem: 'writes is not an array' };
  for (const [index, write] of writes.entries()) {
    const missing = missingMember(write);
    if (missing !== undefined) return { problem: `writes[${index}].${missing} is not a string` };
  }
  return { writes: writes as WriteAnnouncement[] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function missingMember(write: unknown): string | undefined {
  return required.find((name) => !isRecord(write) || typeof write[name] !== 'string');
}
