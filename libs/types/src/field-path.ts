import { isHostileName } from './field-names';

const bracketed = /^\$(?:\['[^'\]]+'\])+$/;
const step = /\['([^'\]]+)'\]/g;

/**
 * Why a name that begins like JSONPath is none that we take; undefined for one we take, and for every plain name.
 * The form is brackets with quoted names: `$['address']['city']`. Source: published API, manifest, IntegrationField.
 */
export function jsonPathFault(name: string): string | undefined {
  if (!/^\$[.['"]/.test(name)) return undefined;
  if (!bracketed.test(name)) return "must be JSONPath in brackets, such as $['address']['city']";
  const steps = [...name.matchAll(step)].map(([, inside = '']) => inside);
  return steps.some(isHostileName) ? 'leads to a name that is not allowed' : undefined;
}

/** The names that lead to a field: those of a JSONPath in brackets, else the name itself. */
export function fieldSteps(name: string): readonly string[] {
  return bracketed.test(name) ? [...name.matchAll(step)].map(([, inside = '']) => inside) : [name];
}
