import type { FieldDefinition } from './field-definition';
import type { ObjectDefinition } from './object-definition';
import { account } from './objects/account';
import { contact } from './objects/contact';
import { lead } from './objects/lead';
import { opportunity } from './objects/opportunity';
import { organization, user } from './objects/user';

/** Every object of an imitated org. A realistic part of what a Sales Cloud org has. */
export const objectDefinitions: readonly ObjectDefinition[] = [account, contact, lead, opportunity, user, organization];

const byNames = new Map(objectDefinitions.map((object) => [object.name.toLowerCase(), object]));

const fieldsByNames = new Map(
  objectDefinitions.map((object) => [
    object.name,
    new Map(visibleFields(object).map((field) => [field.name.toLowerCase(), field])),
  ]),
);

/** The object with this name, in any case. */
export const findObject = (name: string): ObjectDefinition | undefined => byNames.get(name.toLowerCase());

/** The object whose name is known to exist. */
export function objectNamed(name: string): ObjectDefinition {
  const found = findObject(name);
  if (!found) throw new Error(`the sandbox has no object ${name}`);
  return found;
}

/** The field with this name, in any case; undefined also for one that the integration user cannot see. */
export function findField(object: ObjectDefinition, name: string): FieldDefinition | undefined {
  return fieldsByNames.get(object.name)?.get(name.toLowerCase());
}

/** Fields that the integration user sees. */
export function visibleFields(object: ObjectDefinition): readonly FieldDefinition[] {
  return object.fields.filter((field) => field.hidden !== true);
}
