/** The part of a kafkajs internal that is touched here; kafkajs publishes no types for it. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: () => void;
}

let isFixed = false;

/**
 * kafkajs 2.2.4 arms a timer with a negative delay for every connection that has nothing to send, again each
 * millisecond: 1.7 % of a core per idle process (measured), and a TimeoutNegativeWarning on Node 24.
 * With this the timer is armed only while requests wait. Source: github.com/tulios/kafkajs/issues/1751.
 */
export function fixRequestQueue(): void {
  if (isFixed) return;
  isFixed = true;
  const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const original = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhilePending(this: RequestQueue) {
    if (this.pending.length > 0) original.call(this);
  };
}
