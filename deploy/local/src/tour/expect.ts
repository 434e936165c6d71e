import type { Reply } from '@sluice/client';
import { describeBody } from '../sandbox-client';

/** A step saw something else than it should: the tour ends here, with this sentence. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** @param sentence what was expected and what came instead */
export function expectThat(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new StepFailure(sentence);
}

/** @returns the reply, when it has this status. @throws StepFailure */
export function expectStatus<T>(reply: Reply<T>, status: number, what: string): Reply<T> {
  const answered = `answered ${reply.status} ${describeBody(reply.body)}`;
  expectThat(reply.status === status, `${what} should answer ${status}, and ${answered}`);
  return reply;
}
