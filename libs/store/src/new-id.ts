import { v7 } from 'uuid';

/** A new id: uuid v7, so that keys made together lie together in an index. */
export function newId(): string {
  return v7();
}
