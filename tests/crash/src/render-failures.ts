import type { FailedRequest } from '../../faults/harness/client-ledger';

/** What the services know of an operation: its log and its attempts, or why it cannot be read. */
export type ReadOperation = (request: FailedRequest, operationId: string) => Promise<unknown>;

const words: Readonly<Record<number, string>> = { 0: 'no connection', [-1]: 'reply lost' };

/** What a status is called; 0 and -1 are none of a reply. */
export function wordOf(status: number): string {
  return words[status] ?? String(status);
}

/**
 * A line for each request that failed: when, how long it took, what was answered; and one with the operation's log, where it had an operation.
 * For who has to find out why: the pods that answered are gone by then.
 */
export async function renderFailures(failed: readonly FailedRequest[], read: ReadOperation): Promise<string[]> {
  const lines: string[] = [];
  for (const request of failed) {
    lines.push(renderRequest(request));
    const operationId = operationOf(request.body);
    if (operationId === undefined) continue;
    const known = await read(request, operationId).catch((error: unknown) => String(error));
    lines.push(`  operation ${operationId}: ${JSON.stringify(known)}`);
  }
  return lines;
}

function renderRequest({ status, way, customer, marker, sentAtMs, answeredAtMs, body }: FailedRequest): string {
  const answered = new Date(answeredAtMs).toISOString();
  const who = `${way}, ${customer.account.provider}, ${marker}`;
  const said = body === undefined ? '' : `: ${JSON.stringify(body)}`;
  return `failed: ${wordOf(status)} at ${answered} after ${answeredAtMs - sentAtMs} ms (${who})${said}`;
}

function operationOf(body: unknown): string | undefined {
  const { operationId } = (body ?? {}) as { operationId?: unknown };
  return typeof operationId === 'string' ? operationId : undefined;
}
