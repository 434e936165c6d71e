import { SluiceError } from './sluice-error';

/** Our database, broker, cache or another process of ours failed. Shown as 503, always worth a retry. */
export class DependencyError extends SluiceError {
  override readonly retry = 'backoff';
}

/** An invariant of ours is broken. Never retried, always alerts; shown as 500 without its detail. */
export class DefectError extends SluiceError {
  override readonly retry = 'never';
}
