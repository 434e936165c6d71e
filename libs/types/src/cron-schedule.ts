const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const days = 'sun mon tue wed thu fri sat'.split(' ');

interface CronField {
  readonly min: number;
  readonly max: number;
  /** Names instead of numbers, the first of them means `min`. */
  readonly names: readonly string[];
}

/** Minute, hour, day of month, month, day of week (0 and 7 are Sunday). */
const fields: readonly CronField[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 7, names: days },
];

const partForm = /^(?:(?<all>\*)|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\d{1,2}))?$/;

/** Whether a text is cron syntax of five fields: numbers, names, lists, ranges, steps. Nothing executes schedules. */
export function isCronSchedule(text: string): boolean {
  const parts = text.trim().split(/\s+/);
  return parts.length === fields.length && fields.every((field, index) => isCronField(field, parts[index] ?? ''));
}

function isCronField(field: CronField, text: string): boolean {
  return text.split(',').every((part) => {
    const groups = partForm.exec(part)?.groups;
    if (!groups || groups['step'] === '0' || groups['step'] === '00') return false;
    if (groups['all']) return true;
    const from = valueOf(field, groups['from'] ?? '');
    const to = groups['to'] === undefined ? from : valueOf(field, groups['to']);
    return from >= field.min && to <= field.max && from <= to;
  });
}

/** NaN, which is in no range, for what is neither a number nor a name. */
function valueOf(field: CronField, text: string): number {
  const named = field.names.indexOf(text.toLowerCase());
  if (named >= 0) return field.min + named;
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}
