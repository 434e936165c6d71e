import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { DefectError } from '@sluice/errors';

export type Headers = readonly (readonly [name: string, value: string])[];

/** What Node calls once per reply with the status line and the headers that were set, to make the head's text of them. */
const storeHeader = '_storeHeader';

interface HeadWriter extends ServerResponse {
  [storeHeader]: (this: HeadWriter, statusLine: string, set: OutgoingHttpHeaders | readonly string[] | null) => void;
}

/**
 * Gives every reply of an app these headers. A reply that sets one of them itself keeps its own.
 * They are written as one text that is made once, because setting ten headers one by one costs a twentieth of what a read costs.
 * Node has no public way to do so; the method it is done with is as old as Node, and a Node without it is refused.
 */
export function setOnEveryReply(app: Express, headers: Headers): void {
  const response = app.response as unknown as HeadWriter;
  const writeHead = response[storeHeader];
  if (typeof writeHead !== 'function') {
    throw new DefectError({ code: 'service.defect', detail: 'this Node writes the heads of replies in another way' });
  }
  const lines = new Map(headers.map(([name, value]) => [name.toLowerCase(), `${name}: ${value}\r\n`]));
  const all = [...lines.values()].join('');
  response[storeHeader] = function (statusLine, set) {
    const own = namesOf(set).filter((name) => lines.has(name));
    const added = own.length === 0 ? all : [...lines].map(([name, line]) => (own.includes(name) ? '' : line)).join('');
    writeHead.call(this, statusLine + added, set);
  };
}

/** In lower case. A list, from `writeHead`, has names and values in turns. */
function namesOf(set: OutgoingHttpHeaders | readonly string[] | null | undefined): string[] {
  const names = Array.isArray(set) ? set.filter((_, at) => at % 2 === 0) : Object.keys(set ?? {});
  return names.map((name: string) => name.toLowerCase());
}
