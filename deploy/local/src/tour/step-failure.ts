/** A step saw something else than it should: the tour ends here, with this sentence. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** @param sentence what was expected and what came instead */
export function expectThat(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new StepFailure(sentence);
}
