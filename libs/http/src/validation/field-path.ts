const plain = /^[\w$-]+$/;

/** Longest path that is shown. */
const lengthMax = 300;

/**
 * A path as callers read it: `batch[3].record.id`, `record["first name"]`; `body` for the whole.
 * Numbers are places in a list, texts are names of members.
 */
export function fieldPath(steps: readonly (string | number)[], root = 'body'): string {
  if (steps.length === 0) return root;
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (plain.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path.length > lengthMax ? `${path.slice(0, lengthMax)}…` : path;
}
