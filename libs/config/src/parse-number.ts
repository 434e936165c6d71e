import type { NumberField } from './env-field';
import { broken, parsed, type Parsed } from './parsed';

const forms = { integer: /^-?\d+$/, number: /^-?\d+(\.\d+)?$/ };

/** Stricter than `Number()`: no hexadecimal, exponent, sign `+` or separators, which are rarely meant. */
export function parseNumber(field: NumberField, text: string): Parsed<number> {
  const value = Number(text);
  const isExact = field.type === 'number' || Number.isSafeInteger(value);
  const { min = -Infinity, max = Infinity } = field;
  const isValid = forms[field.type].test(text) && isExact && value >= min && value <= max;
  return isValid ? parsed(value) : broken(`must be ${numberRule(field)}`);
}

/** `an integer from 1 to 1024`. */
export function numberRule({ type, min, max }: NumberField): string {
  const noun = type === 'integer' ? 'an integer' : 'a number';
  if (min !== undefined && max !== undefined) return `${noun} from ${min} to ${max}`;
  if (min !== undefined) return `${noun} of at least ${min}`;
  return max === undefined ? noun : `${noun} of at most ${max}`;
}
