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
