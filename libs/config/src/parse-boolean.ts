import { broken, parsed, type Parsed } from './parsed';

const words: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

export function parseBoolean(text: string): Parsed<boolean> {
  const value = words.get(text.toLowerCase());
  return value === undefined ? broken('must be on or off') : parsed(value);
}
