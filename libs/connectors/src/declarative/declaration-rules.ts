import { nearestName } from '@sluice/config';
import { hostIssues, reportedAddressIssues } from './address-rules';
import { type Attachment, completed, type Declaration, type DeclarationFile, type FileIssue } from './declaration';
import { namesIn, segmentFault, textsOf } from './template';

/** Headers that we set, or that belong to the connection. */
const refusedHeaders =
  /^(authorization|host|cookie|content-.*|transfer-encoding|connection|accept|traceparent|expect|te|upgrade)$/i;

/** What a file breaks although its form is right. Empty: it can be used. */
export function checkDeclaration(said: DeclarationFile): FileIssue[] {
  const file = completed(said);
  return [
    ...partIssues(said),
    ...hostIssues(file),
    ...reportedAddressIssues(file),
    ...authIssues(file),
    ...headerIssues(file),
    ...objectIssues(file),
    ...nameIssues(file),
    ...writeIssues(file),
    ...searchIssues(file),
    ...signalIssues(file),
    ...factIssues(said),
  ];
}

/** Records are of an object, and a provider that reports no account could give one customer's records to another. */
function partIssues(file: DeclarationFile): FileIssue[] {
  const ofRecords = (['create', 'update', 'search', 'fields'] as const).filter((part) => file[part] !== undefined);
  const needed = (['objects', 'account'] as const).filter((part) => file[part] === undefined);
  return ofRecords.length === 0
    ? []
    : needed.map((part) => ({ steps: [part], rule: `is required beside ${ofRecords.join(', ')}` }));
}

function authIssues({ auth }: Declaration): FileIssue[] {
  const { apiKey, oauth2, basic, none } = auth;
  const issues = [
    ...attachmentIssues(apiKey, ['auth', 'apiKey'], '{key}'),
    ...attachmentIssues(oauth2?.token, ['auth', 'oauth2', 'token'], '{key}'),
  ];
  if (!apiKey && !oauth2 && !basic && !none) issues.push({ steps: ['auth'], rule: 'names no way to open an account' });
  const hasPage = oauth2?.grants.some((grant) => grant.startsWith('authorizationCode')) === true;
  if (hasPage && oauth2?.authorizeUrl === undefined) {
    issues.push({ steps: ['auth', 'oauth2', 'authorizeUrl'], rule: 'is required by an authorization code grant' });
  }
  return issues;
}

function attachmentIssues(at: Attachment | undefined, steps: readonly string[], key: string): FileIssue[] {
  if (at === undefined) return [];
  const given = [at.header, at.query, at.basic].filter((one) => one !== undefined);
  if (given.length !== 1) return [{ steps, rule: 'must have exactly one of header, query and basic' }];
  if (at.prefix !== undefined && at.header === undefined) {
    return [{ steps: [...steps, 'prefix'], rule: 'goes with header only' }];
  }
  if (at.basic === undefined || at.basic.includes(key)) return [];
  return [{ steps: [...steps, 'basic'], rule: `must hold ${key}` }];
}

function headerIssues({ headers = {}, variables = {} }: Declaration): FileIssue[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const steps = ['headers', name];
    if (refusedHeaders.test(name)) return [{ steps, rule: 'is a header that no file sets' }];
    return unknownNames([value], Object.keys(variables)).map((rule) => ({ steps, rule }));
  });
}

function objectIssues({ objects, search }: Declaration): FileIssue[] {
  return Object.entries(objects).flatMap(([name, { unique, custom }]) => {
    const issues: FileIssue[] = [];
    const fault = name === '*' ? undefined : segmentFault(name);
    if (fault !== undefined) issues.push({ steps: ['objects', name], rule: fault });
    if (custom?.names !== undefined && !isRegularExpression(custom.names)) {
      issues.push({ steps: ['objects', name, 'custom', 'names'], rule: 'is no regular expression' });
    }
    if (unique !== undefined && search?.created === undefined) {
      issues.push({
        steps: ['objects', name, 'unique'],
        rule: 'needs search.created, to distinguish a new record from an old one',
      });
    }
    return issues;
  });
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Each `{name}` is a variable, a word that every object has, or a name of its position. */
function nameIssues(file: Declaration): FileIssue[] {
  const objects = Object.entries(file.objects);
  const [, first] = objects[0] ?? [];
  const shared = Object.keys(first?.words ?? {}).filter((word) =>
    objects.every(([, { words = {} }]) => Object.hasOwn(words, word)),
  );
  const known = ['object', ...shared, ...Object.keys(file.variables ?? {})];
  const inObjects = positionsOf(file).flatMap(({ steps, texts, own }) =>
    unknownNames(texts, [...known, ...own]).map((rule) => ({ steps, rule })),
  );
  const inAccount = unknownNames([file.account?.path ?? ''], Object.keys(file.variables ?? {}));
  return [...inObjects, ...inAccount.map((rule) => ({ steps: ['account', 'path'], rule }))];
}

function unknownNames(texts: readonly string[], known: readonly string[]): string[] {
  return [...new Set(texts.flatMap(namesIn))]
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? `; known are ${known.join(', ')}` : `; did you mean {${nearest}}?`;
      return `has {${name}}, which is not defined here (a word must be one of every object)${hint}`;
    });
}

function writeIssues({ create, update }: Declaration): FileIssue[] {
  const issues: FileIssue[] = [];
  for (const [name, write] of Object.entries({ create, update })) {
    if (write !== undefined && !textsOf(write.body).includes('$fields'))
      issues.push({ steps: [name, 'body'], rule: 'must hold $fields, the record' });
  }
  if (update !== undefined && !namesIn(update.path).includes('id'))
    issues.push({ steps: ['update', 'path'], rule: 'must hold {id}' });
  if (create?.reply.empty === true) {
    issues.push({ steps: ['create', 'reply', 'empty'], rule: 'cannot hold for a create: its reply must have the id' });
  }
  return issues;
}

function searchIssues({ search }: Declaration): FileIssue[] {
  if (search === undefined) return [];
  const { filter, method, body } = search;
  const steps = ['search', 'filter'];
  const ways = [filter.parameter, filter.text, filter.json].filter((one) => one !== undefined);
  if (ways.length > 1) return [{ steps, rule: 'must have one of parameter, text and json' }];
  const issues: FileIssue[] = [];
  const texts = [...Object.values(search.query ?? {}), ...textsOf(body)];
  const must = (needed: boolean, rule: string) => needed && issues.push({ steps, rule });
  const names = texts.flatMap(namesIn);
  must(filter.text !== undefined && !names.includes('filters'), 'has text, but nothing holds {filters}');
  must(filter.json !== undefined && !texts.includes('$filters'), 'has json, but no body holds $filters');
  const isSingle = isSingleFilter(filter);
  must(
    isSingle && (filter.max !== 1 || !names.includes('value')),
    'must say how a filter is sent, or be max: 1 beside {value}',
  );
  must(filter.text !== undefined && filter.join === undefined && filter.max !== 1, 'needs join, or max: 1');
  if (method === 'GET' && body !== undefined) issues.push({ steps: ['search', 'body'], rule: 'goes with POST only' });
  for (const character of Object.keys(filter.escape ?? {})) {
    if (Array.from(character).length !== 1)
      issues.push({ steps: [...steps, 'escape', character], rule: 'must be one character' });
  }
  return issues;
}

function signalIssues({ signals = [], update }: Declaration): FileIssue[] {
  const rows = [
    ...signals.map((signal, at) => ({ signal, steps: ['signals', at] })),
    ...(update?.missing ? [{ signal: update.missing, steps: ['update', 'missing'] }] : []),
  ];
  return rows.flatMap(({ signal: { status, code }, steps }) =>
    status === undefined && code === undefined ? [{ steps, rule: 'needs a status or a code' }] : [],
  );
}

/** Parts that state facts about a provider's wire. */
const stated = [
  'baseUrl',
  'auth',
  'account',
  'objects',
  'create',
  'update',
  'search',
  'fields',
  'errors',
  'signals',
  'waits',
  'rate',
] as const satisfies readonly (keyof Declaration)[];

/** Each stated part has a fact, and each fact leads to something: `create`, or inside it `create.reply`. */
function factIssues(file: DeclarationFile): FileIssue[] {
  const named = Object.keys(file.facts);
  const missing = stated
    .filter((part) => file[part] !== undefined && !named.includes(part))
    .map((part) => ({ steps: ['facts'], rule: `has no entry for ${part}` }));
  const dangling = named
    .filter((path) => !leadsSomewhere(file, path.split('.')))
    .map((path) => ({ steps: ['facts', path], rule: danglingRule(path) }));
  return [...missing, ...dangling];
}

function leadsSomewhere(value: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
  return leadsSomewhere((value as Readonly<Record<string, unknown>>)[step], rest);
}

function danglingRule(path: string): string {
  const nearest = nearestName(path, stated);
  return nearest === undefined
    ? 'leads to nothing in this file'
    : `leads to nothing in this file; did you mean ${nearest}?`;
}

/** A position of texts in a file, with the names of its own. */
interface Position {
  readonly steps: readonly (string | number)[];
  readonly texts: readonly string[];
  readonly own: readonly string[];
}

/** Every position of a file whose texts are filled for an object. */
function positionsOf(file: Declaration): Position[] {
  const { create, update, search, fields } = file;
  const positions: Position[] = [];
  const add = (steps: Position['steps'], texts: readonly string[], ...own: string[]) =>
    positions.push({ steps, texts, own });
  for (const [name, write, own] of [
    ['create', create, []],
    ['update', update, ['id']],
  ] as const) {
    if (write === undefined) continue;
    add([name, 'path'], [write.path], ...own);
    add([name, 'body'], textsOf(write.body), ...own);
    add([name, 'reply'], [write.reply.id, write.reply.record ?? '']);
  }
  if (search) {
    const { filter } = search;
    const isSingle = isSingleFilter(search.filter);
    const own = ['limit', ...(filter.text === undefined ? [] : ['filters']), ...(isSingle ? ['field', 'value'] : [])];
    add(['search', 'path'], [search.path]);
    add(['search', 'query'], Object.values(search.query ?? {}), ...own);
    add(['search', 'body'], textsOf(search.body), ...own);
    add(['search', 'rows'], [search.rows]);
    const ofCustom = Object.values(file.objects).flatMap(({ custom }) => textsOf(custom?.filter));
    add(['objects'], ofCustom, 'field', 'value');
    add(['search', 'filter'], [filter.parameter ?? '', filter.text ?? '', ...textsOf(filter.json)], 'field', 'value');
  }
  if (fields) {
    add(['fields', 'path'], [fields.path]);
    add(['fields', 'query'], Object.values(fields.query ?? {}));
    add(['fields', 'list'], [fields.list]);
  }
  return positions;
}

/** No list of filters: the only possible one is in the query or the body itself. */
function isSingleFilter({ parameter, text, json }: NonNullable<Declaration['search']>['filter']): boolean {
  return parameter === undefined && text === undefined && json === undefined;
}
