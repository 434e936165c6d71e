import { parseSync } from '@swc/core';

/** What the rules check in one source file. */
export interface SourceFacts {
  /** Every module named in an import, export … from, import(), require, require.resolve or import type, once. */
  readonly imports: readonly string[];
  readonly readsEnvironment: boolean;
}

/** By text: several rules ask about each file, and parsing is most of their time. */
const known = new Map<string, SourceFacts>();

/**
 * Reads the facts from the syntax tree, so that comments and strings do not count.
 * @param isTsx the text may hold elements, `<App />`
 */
export function readSource(text: string, isTsx = false): SourceFacts {
  const facts = known.get(text) ?? parse(text, isTsx);
  known.set(text, facts);
  return facts;
}

function parse(text: string, isTsx: boolean): SourceFacts {
  const tree = parseSync(text, { syntax: 'typescript', tsx: isTsx, target: 'es2024', dynamicImport: true } as never);
  const imports = new Set<string>();
  let readsEnvironment = false;
  visit(tree, (node) => {
    const name = importedModule(node);
    if (name !== undefined) imports.add(name);
    readsEnvironment ||= isEnvironment(node);
  });
  return { imports: [...imports], readsEnvironment };
}

/** What a source takes at run time of modules and of what every source has. */
interface Uses {
  /** `*`: all of it, or which names is not known. `module` is `(computed)` where it is no literal. */
  readonly loads: readonly { readonly module: string; readonly names: readonly string[] }[];
  /** Globals that open connections or load modules by name. */
  readonly globals: readonly string[];
}

export function readUses(text: string): Uses {
  const tree = parseSync(text, { syntax: 'typescript', target: 'es2024', dynamicImport: true } as never);
  const loads: { module: string; names: string[] }[] = [];
  const globals = new Set<string>();
  visit(tree, (node) => {
    const names = takenNames(node);
    const module = importedModule(node) ?? '(computed)';
    if (names.length > 0) loads.push({ module, names });
    for (const name of usedGlobals(node)) globals.add(name);
  });
  return { loads, globals: [...globals] };
}

/** Of a statement that loads a module: which of its exports are there at run time. */
function takenNames(node: Node): string[] {
  if (node.typeOnly === true || node.isTypeOnly === true) return [];
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration': {
      const specifiers = node.specifiers as Node[];
      if (!node.source) return [];
      return specifiers.length === 0
        ? ['*']
        : specifiers.filter(({ isTypeOnly }) => isTypeOnly !== true).map(takenName);
    }
    case 'ExportAllDeclaration':
    case 'TsExternalModuleReference':
      return ['*'];
    case 'CallExpression':
      return isLoader(node.callee as Node) ? ['*'] : [];
    default:
      return [];
  }
}

function takenName(specifier: Node): string {
  if (specifier.type !== 'ImportSpecifier' && specifier.type !== 'ExportSpecifier') return '*';
  const { value } = (specifier.imported ?? specifier.orig ?? specifier.local) as { readonly value: string };
  return value === 'default' ? '*' : value;
}

const openingGlobals: readonly string[] = ['fetch', 'WebSocket', 'EventSource', 'getBuiltinModule', 'createRequire'];
/** What has all of them, passed on or taken apart. */
const globalObjects: readonly string[] = ['globalThis', 'global'];

/** Wherever the name stands, but as the name of a type, of a member of ours or of what is imported. */
function usedGlobals(node: Node): string[] {
  const { object, property } = node as unknown as { readonly object?: Node; readonly property?: Node };
  if (
    node.type === 'MemberExpression' &&
    [...globalObjects, 'process', 'module'].some((name) => isNamed(object, name))
  ) {
    const member = isNamed(property, String(property?.value)) ? String(property?.value) : literal(property?.expression);
    return openingGlobals.filter((name) => name === member);
  }
  const notUses = ['property', 'key', 'specifiers', 'label', 'typeName', 'params'];
  return Object.entries(node).flatMap(([key, value]) => {
    const values: unknown[] = notUses.includes(key) ? [] : Array.isArray(value) ? value : [value];
    const sought = key === 'object' ? openingGlobals : [...openingGlobals, ...globalObjects];
    return values.flatMap((one) => {
      const held = (one as { readonly expression?: unknown } | undefined)?.expression ?? one;
      return sought.filter((name) => isNamed(held, name));
    });
  });
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, onNode);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  if (typeof (value as Node).type === 'string') onNode(value as Node);
  for (const child of Object.values(value)) visit(child, onNode);
}

function importedModule(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return literal(node.source);
    case 'TsExternalModuleReference':
      return literal(node.expression);
    case 'TsImportType':
      return literal(node.argument);
    case 'CallExpression':
      return isLoader(node.callee as Node)
        ? literal((node.arguments as { expression: unknown }[])[0]?.expression)
        : undefined;
    default:
      return undefined;
  }
}

/** `import(…)`, `require(…)`, `require.resolve(…)`. */
function isLoader(callee: Node): boolean {
  if (callee.type === 'Import') return true;
  if (callee.type === 'MemberExpression')
    return isNamed(callee.object, 'require') && isNamed(callee.property, 'resolve');
  return isNamed(callee, 'require');
}

/** `process.env`, `process['env']`, and `{ env }` taken from `process`. */
function isEnvironment(node: Node): boolean {
  if (node.type === 'MemberExpression') {
    const property = node.property as Node;
    const isEnv = isNamed(property, 'env') || (property.type === 'Computed' && literal(property.expression) === 'env');
    return isNamed(node.object, 'process') && isEnv;
  }
  if (node.type === 'VariableDeclarator') return isNamed(node.init, 'process') && hasKey(node.id as Node, 'env');
  if (node.type === 'ImportDeclaration' && ['process', 'node:process'].includes(literal(node.source) ?? '')) {
    return (node.specifiers as Node[]).some((one) => isNamed(one.imported ?? one.local, 'env'));
  }
  return false;
}

function hasKey(pattern: Node, name: string): boolean {
  const properties = pattern.type === 'ObjectPattern' ? (pattern.properties as Node[]) : [];
  return properties.some((property) => isNamed(property.key, name));
}

function isNamed(value: unknown, name: string): boolean {
  const node = value as Node | undefined;
  return node?.type === 'Identifier' && node.value === name;
}

function literal(value: unknown): string | undefined {
  const node = value as Node | undefined;
  if (node?.type === 'StringLiteral') return node.value as string;
  // A template without a hole is a string too.
  const quasis = node?.type === 'TemplateLiteral' ? (node.quasis as { cooked?: string }[]) : [];
  return quasis.length === 1 ? quasis[0]?.cooked : undefined;
}
