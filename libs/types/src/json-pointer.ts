import { isRefusedName } from './field-names';

/**
 * The steps of a JSON pointer, unescaped. Undefined for what RFC 6901 does not allow, for the empty pointer, which would
 * name the whole document, and for a step that is empty, holds a NUL or reaches into a prototype.
 */
export function pointerSteps(pointer: string): readonly string[] | undefined {
  // RFC 6901: `~` is followed by 0 or 1. A first character other than `/` leaves something before the first slash.
  const [before, ...escaped] = pointer.split('/');
  if (before !== '' || escaped.length === 0 || escaped.some((step) => /~(?![01])/.test(step))) return undefined;
  const steps = escaped.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.some(isRefusedName) ? undefined : steps;
}
