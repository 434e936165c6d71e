/** A metric as a process shows it. */
export interface ShownMetric {
  readonly name: string;
  readonly kind: string;
  readonly help: string;
  /** Label -> values that were seen. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the text format of Prometheus, as far as our names go. */
export function readMetrics(text: string): ShownMetric[] {
  const helps = new Map([...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name = '', help = '']) => [name, help]));
  const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return kinds.map(([, name = '', kind = '']) => ({
    name,
    kind,
    help: helps.get(name) ?? '',
    labels: labelsOf(text, name),
  }));
}

function labelsOf(text: string, name: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const [, list = ''] of text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^\\n]*)\\} `, 'gm'))) {
    for (const [, label = '', value = ''] of list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    }
  }
  return labels;
}
