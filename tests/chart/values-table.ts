import { isMap, isPair, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';

/** Longest text of a row: a line has 300 characters at most. */
const textMax = 200;

/** The table of a chart's README: each value with its default, and what values.yaml says of it. */
export function valuesTable(valuesYaml: string): string {
  const document = parseDocument(valuesYaml);
  if (!isMap(document.contents)) throw new Error('values.yaml is no map');
  const rows = rowsOf(document.contents, '', document.commentBefore ?? undefined);
  return ['| value | default | |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowsOf(map: YAMLMap, prefix: string, before?: string): string[] {
  return map.items.flatMap((pair, at) => {
    if (!isPair(pair) || !isScalar(pair.key)) return [];
    const name = `${prefix}${String(pair.key.value).replaceAll('.', String.raw`\.`)}`;
    // The comment of the first pair belongs to its map.
    const comment = pair.key.commentBefore ?? (at === 0 ? (map.commentBefore ?? before) : undefined);
    return rowsOfPair(pair, name, textOf(comment ?? undefined));
  });
}

function rowsOfPair({ value }: Pair, name: string, text: string): string[] {
  const cell = (content: string) => (content === '' ? ' ' : ` ${content} `);
  const row = (shown: string) => `| \`${name}\` |${cell(shown)}|${cell(text)}|`;
  if (!isMap(value) || value.flow || value.items.length === 0) return [row(`\`${JSON.stringify(jsonOf(value))}\``)];
  const inside = rowsOf(value, `${name}.`);
  return text === '' ? inside : [row(''), ...inside];
}

const jsonOf = (node: unknown): unknown => (node as { toJSON(): unknown } | null)?.toJSON() ?? null;

/** The last paragraph, in one line, and of a long one the sentences that fit. Lines of hyphens are headings. */
function textOf(comment: string | undefined): string {
  const [last = ''] = (comment ?? '')
    .trimEnd()
    .split(/\n\s*\n/)
    .slice(-1);
  const lines = last.split('\n').filter((line) => !/-{20,}/.test(line));
  const text = lines
    .map((line) => line.trim())
    .join(' ')
    .trim();
  const escaped = text.replaceAll(/[|<]/g, String.raw`\$&`);
  if (escaped.length <= textMax) return escaped;
  const sentences = escaped.split(/(?<=[.:]) (?=[A-Z])/);
  const fitting = sentences.filter((_, at) => sentences.slice(0, at + 1).join(' ').length <= textMax);
  return fitting.length > 0 ? fitting.join(' ') : `${escaped.slice(0, textMax)}…`;
}
