import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import type { ObservedCall } from './perform-call';

/**
 * Sends a call; when it is refused as a whole for what may be a single record, sends its halves, and so on until the bad
 * records stand alone: k bad ones of n cost at most 2k * ceil(log2 n) + 1 calls. Each takes quota of its own. Nothing of a refused
 * call was written, so no record is sent twice. A batch that is all or none is left as the provider decided.
 * Source: specification, batchPolicy: successful records are committed even if others fail.
 */
export async function sendIsolating(
  request: ObservedCall,
  send: (request: ObservedCall) => Promise<readonly RecordResult[]>,
): Promise<readonly RecordResult[]> {
  const results = await send(request);
  if (!isRefusedForOne(request, results)) return results;
  const middle = Math.ceil(request.records.length / 2);
  const sendHalf = async (records: ObservedCall['records']): Promise<readonly RecordResult[]> => {
    const half = { ...request, records };
    const withheld = await askQuota(request);
    return withheld === undefined ? await sendIsolating(half, send) : failAll(half, withheld);
  };
  const first = await sendHalf(request.records.slice(0, middle));
  const rest = request.records.slice(middle);
  const stop = first.find((result) => !result.ok && endsSending(result.error));
  if (stop !== undefined && !stop.ok) return [...first, ...failAll({ ...request, records: rest }, stop.error)];
  return [...first, ...(await sendHalf(rest))];
}

function isRefusedForOne({ call, connector, records }: ObservedCall, results: readonly RecordResult[]): boolean {
  const { allOrNone } = connector.capabilities;
  const isWhole = call.allOrNone && call.type !== 'delete' && allOrNone[call.type];
  if (isWhole || records.length < 2) return false;
  return results.some((result) => !result.ok && result.error.mayBeOneRecord === true);
}

/** What will meet every further call as well. */
function endsSending({ class: failureClass, scope }: ProviderFailure): boolean {
  return scope === 'lane' || failureClass === 'credentials';
}

async function askQuota({ takeQuota }: ObservedCall): Promise<ProviderFailure | undefined> {
  const answer = await takeQuota?.();
  if (answer === undefined || answer.granted) return undefined;
  const message = "Not sent: the customer's provider quota is used up.";
  return { class: 'quota', message, scope: 'call', retryAfterMs: answer.retryAfterMs };
}

function failAll({ records }: ObservedCall, error: ProviderFailure): RecordResult[] {
  return records.map(() => ({ ok: false, error }));
}
