import { exchange } from '../../harness/api';
import type { System } from '../../harness/system';

/** What the client knows of one create that it sent. `unknown`: the reply was lost, so it may have been accepted. */
export interface Sent {
  readonly marker: string;
  readonly outcome: 'accepted' | 'unknown';
  readonly operationId?: string;
}

export interface Load {
  /** Creates, alternately asynchronous and auto-batched. */
  readonly count: number;
  readonly run: string;
  /** Requests at once. @default 8 */
  readonly concurrency?: number;
  /** Called after each answer, with how many there are. */
  readonly onAnswer?: (answered: number) => void;
}

/**
 * Sends creates until each was answered or its fate is unknown. A refused connection sent nothing, so it is tried again;
 * a lost reply is never repeated: the client cannot know.
 */
export async function send(system: System, { count, run, concurrency = 8, onAnswer }: Load): Promise<Sent[]> {
  const sent: Sent[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const at = (next += 1) - 1;
      sent.push(await sendOne(system, `${run}-${at}@example.com`, at % 2 === 0));
      onAnswer?.(sent.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return sent;
}

async function sendOne(system: System, marker: string, isAutoBatched: boolean): Promise<Sent> {
  const policy = isAutoBatched ? { autoBatchPolicy: { maxDelayMinutes: 1 } } : {};
  const record = { email: marker, firstname: 'Zoë', lastname: marker };
  const body = { ...system.body, type: 'create', mode: 'asynchronous', record, ...policy };
  for (;;) {
    const answer = await exchange(system.writeUrl, { key: system.key, body });
    if (answer.kind === 'lost') return { marker, outcome: 'unknown' };
    if (answer.kind === 'reply' && answer.status === 200) {
      const { operationId } = answer.body as { operationId: string };
      return { marker, outcome: 'accepted', operationId };
    }
    if (answer.kind === 'reply' && answer.status !== 503) throw new Error(`refused: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
