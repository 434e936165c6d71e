import { workspaceInput } from '@sluice/types';
import type { Declaration, FileIssue, ReturnedVariable, Variable } from './declaration';
import { fillText, namesIn } from './template';
import { label, ruleOf } from './variables';

/** Hosts that a plain http URL may have: this machine. */
const loopback = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])$/;

/** Whether nothing that is sent to this provider leaves the machine: no variable and no other host has a say in its URLs. */
export function isLoopback({ baseUrl, auth, hosts }: Declaration): boolean {
  const { authorizeUrl = baseUrl, tokenUrl = baseUrl } = auth.oauth2 ?? {};
  const isLocal = (url: string) => loopback.test(URL.parse(url)?.hostname ?? '');
  return hosts === undefined && [baseUrl, authorizeUrl, tokenUrl].every(isLocal);
}

/** Rules of every URL of a file: a token is sent there, so a customer's choice must not decide whose host it is. */
export function hostIssues(file: Declaration): FileIssue[] {
  const { authorizeUrl, tokenUrl } = file.auth.oauth2 ?? {};
  const urls: [readonly string[], string | undefined][] = [
    [['baseUrl'], file.baseUrl],
    [['auth', 'oauth2', 'authorizeUrl'], authorizeUrl],
    [['auth', 'oauth2', 'tokenUrl'], tokenUrl],
  ];
  return [
    ...urls.flatMap(([steps, url]) => (url === undefined ? [] : urlRules(file, url).map((rule) => ({ steps, rule })))),
    ...variableIssues(file),
    ...otherHostIssues(file, [file.baseUrl, authorizeUrl ?? '', tokenUrl ?? '']),
  ];
}

/** Another host replaces one that a URL of the file has with a listed value, so it is the file's own choice too. */
function otherHostIssues(file: Declaration, urls: readonly string[]): FileIssue[] {
  const known = new Set(urls.flatMap((url) => listedHosts(file, url)));
  return Object.entries(file.hosts ?? {}).flatMap(([named, host]) => {
    const steps = ['hosts', named];
    if (!known.has(named)) return [{ steps, rule: 'is no host that a URL of this file comes to by a value of oneOf' }];
    const labels = host.split('.');
    if (labels.length > 1 && labels.every((part) => label.test(part))) return [];
    return [{ steps, rule: 'must be a host in small letters, below a domain' }];
  });
}

/** What the host of a URL with one variable can be. */
function listedHosts({ variables = {} }: Declaration, url: string): string[] {
  const [, host = ''] = /^https?:\/\/([^/]*)/.exec(url) ?? [];
  const [name = '', ...more] = namesIn(host);
  const listed = Object.hasOwn(variables, name) ? (variables[name]?.oneOf ?? []) : [];
  return more.length > 0 ? [] : listed.map((value) => fillText(host, { [name]: value }));
}

function urlRules(file: Declaration, url: string): string[] {
  const [, scheme = '', host = '', path = ''] = /^(https?):\/\/([^/]*)(\/.*)?$/s.exec(url) ?? [];
  const bare = host.replace(/\{\w+\}/g, 'x');
  const parsed = URL.parse(`${scheme}://${bare}`);
  if (parsed?.host !== bare) return ['must name a host in small letters, with {names} of variables where they vary'];
  const rules: string[] = [];
  if (scheme === 'http' && !loopback.test(parsed.hostname)) rules.push('must be https, but for this machine');
  return [
    ...rules,
    ...namesIn(host).flatMap((name) => hostNameRule(file, host, name)),
    ...namesIn(path).flatMap((name) => nameRule(file, name)),
  ];
}

function nameRule({ variables = {} }: Declaration, name: string): string[] {
  const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (variable === undefined) return [`has {${name}}, which is none of the variables`];
  return variable.form === 'text' ? [`has {${name}}, whose form is text: an address takes labels only`] : [];
}

function hostNameRule(file: Declaration, host: string, name: string): string[] {
  const faults = nameRule(file, name);
  if (faults.length > 0) return faults;
  const behind = host.slice(host.lastIndexOf('}') + 1);
  const isBelowDomain = /^\.[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/.test(behind);
  if (isBelowDomain || file.variables?.[name]?.oneOf !== undefined) return [];
  return [`must end in a fixed domain behind {${name}}, or the variable must be oneOf a few`];
}

function variableIssues({ variables = {} }: Declaration): FileIssue[] {
  return Object.entries(variables).flatMap(([name, { from, oneOf, default: usual }]) => {
    if (name === workspaceInput && from === 'metadata') {
      return [
        {
          steps: ['variables', name, 'from'],
          rule: "must be workspace: it is the published name of a connection's own",
        },
      ];
    }
    const allowed = [...(oneOf ?? []), ...(usual === undefined ? [] : [usual])];
    const strange = allowed.filter((value) => !value.split('.').every((part) => label.test(part)));
    if (strange.length > 0 && variables[name]?.form !== 'text') {
      return [{ steps: ['variables', name], rule: `has ${strange.join(', ')}, which no host name can hold` }];
    }
    if (usual === undefined || oneOf === undefined || oneOf.includes(usual)) return [];
    return [{ steps: ['variables', name, 'default'], rule: 'must be one of oneOf' }];
  });
}

/** Parameters of a return that say something else. Source: RFC 6749, 4.1.2. */
const ownParameters = ['code', 'state', 'error', 'error_description', 'error_uri'];

/** Rules of what a provider itself reports of an account's address: in the reply of its token endpoint, and in the customer's return. */
export function reportedAddressIssues({ variables = {}, auth: { oauth2 } }: Declaration): FileIssue[] {
  const hasPage = oauth2?.grants.some((grant) => grant.startsWith('authorizationCode')) === true;
  return Object.entries(variables).flatMap(([name, variable]) => {
    const { from, told, returned } = variable;
    const steps = ['variables', name];
    return [
      ...(told === undefined ? [] : tokenReplyIssues([...steps, 'told'], from, oauth2 !== undefined, told.form)),
      ...(returned === undefined ? [] : returnIssues([...steps, 'returned'], variable, returned, hasPage)),
    ];
  });
}

const ofMetadata = 'goes with from: metadata only';
const formRule = 'must hold {value} once';
const holdsOne = (form: string) => form.split('{value}').length === 2;

function tokenReplyIssues(
  steps: readonly string[],
  from: Variable['from'],
  hasOAuth: boolean,
  form: string,
): FileIssue[] {
  return [
    ...(from === 'metadata' ? [] : [{ steps, rule: ofMetadata }]),
    ...(hasOAuth ? [] : [{ steps, rule: 'needs auth.oauth2, whose reply it is of' }]),
    ...(holdsOne(form) ? [] : [{ steps: [...steps, 'form'], rule: formRule }]),
  ];
}

function returnIssues(
  steps: readonly string[],
  variable: Variable,
  all: readonly ReturnedVariable[],
  hasPage: boolean,
): FileIssue[] {
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
): FileIssue[] {
  const issues: FileIssue[] = [];
  if (ownParameters.includes(parameter)) {
    issues.push({ steps: [...steps, 'parameter'], rule: `must not be ${parameter}, which has another meaning` });
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
