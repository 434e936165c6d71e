/** A message on its way out. `writes` is how many announcements it holds. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly writes: number;
}

/** Where messages go: the one thing the announcing side of an implementation must bring. */
export interface Transport {
  /** Whether a send has a chance. Asked before each send. */
  isUp(): boolean;
  /** All of them in one request, in order per key. Rejects when they may not have arrived. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
}
