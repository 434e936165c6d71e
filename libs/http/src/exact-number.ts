/** A decimal of at most 15 significant digits survives the way through a double (DBL_DIG of IEEE 754). */
const alwaysExactLength = 15;
/** Only an exponent of three digits can leave the range of a double in so few characters. */
const farExponent = /e[+-]?\d{3}/i;
const form = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a JSON number comes back from JSON.parse and JSON.stringify as the same decimal value.
 * `0.1`, `1.50` and `9007199254740992` do; `12345678901234567890`, `9007199254740993` and `1e400` do not.
 */
export function isExactNumber(literal: string): boolean {
  if (literal.length <= alwaysExactLength && !farExponent.test(literal)) return true;
  const value = Number(literal);
  return Number.isFinite(value) && decimal(literal) === decimal(String(value));
}

/** Digits without zeros at either end, and the power of ten of the last one: equal texts for equal values. */
function decimal(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = form.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Not `/0+$/`, which is quadratic on runs of zeros that do not end the text. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end -= 1;
  return digits.slice(0, end);
}
