import { parseArgs } from 'node:util';

/**
 * The options of a command line, by name. One with `multiple` may be repeated and may name several at once, without duplicates:
 * `--row F3,F6 --row F9` is F3, F6 and F9.
 * @param options as `parseArgs` of node:util takes them
 * @returns undefined when a word or a value is wrong
 */
export function readOptions(args, options) {
  try {
    // pnpm hands on the dashes that npm takes away.
    const { values } = parseArgs({ args: args.filter((arg) => arg !== '--'), options });
    const listed = Object.keys(values).filter((name) => options[name].multiple);
    return { ...values, ...Object.fromEntries(listed.map((name) => [name, namesIn(values[name])])) };
  } catch {
    return undefined;
  }
}

function namesIn(given) {
  return [...new Set(given.flatMap((text) => text.split(',')))];
}
