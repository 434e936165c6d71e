/** A reply of one of our services, whole. */
export interface KeptReply {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** Keeps every reply to a request that this test makes, except to addresses that are not ours. */
export interface ReplyTap {
  readonly replies: readonly KeptReply[];
  restore(): void;
}

/** @param notOurs beginning of addresses that are left out: the imitated provider shows its own tokens */
export function startReplyTap(notOurs: string): ReplyTap {
  const replies: KeptReply[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const reply = await real(input, init);
    const url = input instanceof Request ? input.url : input.toString();
    if (!url.startsWith(notOurs)) {
      const headers = JSON.stringify([...reply.headers]);
      const text = `${headers} ${await reply.clone().text()}`;
      replies.push({ method: init?.method ?? 'GET', url, status: reply.status, text });
    }
    return reply;
  };
  return { replies, restore: () => void (globalThis.fetch = real) };
}
