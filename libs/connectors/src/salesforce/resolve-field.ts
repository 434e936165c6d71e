import type { ObjectCall } from '../requests';
import { rejected, type Describe, type Description, type FieldDescription } from './describe';
import { isFieldPath } from './paths';

/** A field that is really there, under the name that replies use. */
interface ResolvedField {
  /** `Email`, `Account.Name`. */
  readonly path: string;
  readonly field: FieldDescription;
}

/** Salesforce describes under this name what the objects of a polymorphic reference share. */
const polymorphic = 'Name';

/**
 * Looks a field up in the account's description, over relationships too. Only what is found can stand in a query.
 * Source: reliability checklist, item 25.
 * @throws ProviderError `rejected`, naming the field
 */
export async function resolveField(describe: Describe, call: ObjectCall, name: string): Promise<ResolvedField> {
  if (!isFieldPath(name)) {
    throw rejected(
      `the field '${name.slice(0, 80)}' has no Salesforce name: letters, digits and _, parts joined by dots`,
    );
  }
  const steps = name.split('.');
  const last = steps.pop() as string;
  const path: string[] = [];
  let description = await describe(call);
  for (const step of steps) {
    const reference = relationOf(description, step);
    if (!reference?.relationshipName) throw absent(name, step, description, 'relationship');
    path.push(reference.relationshipName);
    const [only, ...others] = reference.referenceTo;
    const objectName = only !== undefined && others.length === 0 ? only : polymorphic;
    description = await describe({ ...call, objectName });
  }
  const field = description.fields.get(last.toLowerCase());
  if (!field) throw absent(name, last, description, 'field');
  return { path: [...path, field.name].join('.'), field };
}

function relationOf({ fields }: Description, step: string): FieldDescription | undefined {
  return [...fields.values()].find(({ relationshipName }) => relationshipName?.toLowerCase() === step.toLowerCase());
}

function absent(name: string, step: string, { name: objectName }: Description, kind: string) {
  return rejected(
    `the field '${name}' does not exist: ${objectName} has no ${kind} '${step}', or this user may not see it`,
  );
}
