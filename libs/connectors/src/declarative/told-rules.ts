import type { Declaration, ReturnedVariable, Variable } from './declaration';
import { ruleOf } from './variables';
import type { YamlIssue } from './yaml-reader';

/** Parameters of a return that say something else. Source: RFC 6749, 4.1.2. */
const ownParameters = ['code', 'state', 'error', 'error_description', 'error_uri'];

/** Rules of what a provider itself tells of an account's place: by the reply of its token endpoint, and by the customer's return. */
export function toldIssues({ variables = {}, auth: { oauth2 } }: Declaration): YamlIssue[] {
  const hasPage = oauth2?.grants.some((grant) => grant.startsWith('authorizationCode')) === true;
  return Object.entries(variables).flatMap(([name, variable]) => {
    const { from, told, returned } = variable;
    const steps = ['variables', name];
    return [
      ...(told === undefined ? [] : toldBy([...steps, 'told'], from, oauth2 !== undefined, told.form)),
      ...(returned === undefined ? [] : returnedBy([...steps, 'returned'], variable, returned, hasPage)),
    ];
  });
}

const ofMetadata = 'goes with from: metadata only';
const formRule = 'must hold {value} once';
const holdsOne = (form: string) => form.split('{value}').length === 2;

function toldBy(steps: readonly string[], from: Variable['from'], hasOAuth: boolean, form: string): YamlIssue[] {
  return [
    ...(from === 'metadata' ? [] : [{ steps, rule: ofMetadata }]),
    ...(hasOAuth ? [] : [{ steps, rule: 'needs auth.oauth2, whose reply it is of' }]),
    ...(holdsOne(form) ? [] : [{ steps: [...steps, 'form'], rule: formRule }]),
  ];
}

function returnedBy(
  steps: readonly string[],
  variable: Variable,
  all: readonly ReturnedVariable[],
  hasPage: boolean,
): YamlIssue[] {
  const names = all.map(({ parameter }) => parameter);
  return [
    ...(variable.from === 'metadata' ? [] : [{ steps, rule: ofMetadata }]),
    ...(hasPage ? [] : [{ steps, rule: 'needs an authorization code grant, whose return it is of' }]),
    ...(new Set(names).size === names.length ? [] : [{ steps, rule: 'names a parameter twice' }]),
    ...all.flatMap((one, at) => parameterIssues([...steps, at], variable, one)),
  ];
}

function parameterIssues(
  steps: readonly (string | number)[],
  variable: Variable,
  { parameter, form, values }: ReturnedVariable,
): YamlIssue[] {
  const issues: YamlIssue[] = [];
  if (ownParameters.includes(parameter)) {
    issues.push({ steps: [...steps, 'parameter'], rule: `must not be ${parameter}, which says something else` });
  }
  if ((form === undefined) === (values === undefined)) {
    issues.push({ steps, rule: 'must have exactly one of form and values' });
  }
  if (form !== undefined && !holdsOne(form)) issues.push({ steps: [...steps, 'form'], rule: formRule });
  for (const [word, value] of Object.entries(values ?? {})) {
    const rule = ruleOf(variable, value);
    if (rule !== undefined) issues.push({ steps: [...steps, 'values', word], rule: `must be ${rule}` });
  }
  return issues;
}
