import { v7 } from 'uuid';

/** A new id: uuid v7, so that keys made together lie together in an index. */
export function newId(): string {
  return v7();
}

/** When an id was made, to the millisecond. Source: RFC 9562, 5.7. */
export function momentOf(id: string): Date {
  return new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));
}
