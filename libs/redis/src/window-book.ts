import { LRUCache } from 'lru-cache';
import { SlidingWindow } from './sliding-window';

/** Buckets remembered at once; far more than the lanes one process works on in a window. */
const bucketsMax = 10_000;

/** The windows of this process, by bucket. The one unused for longest is forgotten first. */
export class WindowBook {
  private readonly windows = new LRUCache<string, SlidingWindow>({ max: bucketsMax });

  of(bucket: string, windowMs: number): SlidingWindow {
    const name = nameOf(bucket, windowMs);
    const known = this.windows.get(name);
    if (known) return known;
    const made = new SlidingWindow(windowMs);
    this.windows.set(name, made);
    return made;
  }

  /** A look, which neither makes a window nor counts as a use of it. Undefined: nothing was granted in it. */
  find(bucket: string, windowMs: number): SlidingWindow | undefined {
    return this.windows.peek(nameOf(bucket, windowMs));
  }
}

function nameOf(bucket: string, windowMs: number): string {
  return `${bucket}:${windowMs}`;
}
