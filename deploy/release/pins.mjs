/**
 * `npm run pins`: versions, paths and dates that we ask for, from libs/connectors/pins.json, that end within 180 days. Ends with 1 where one ends within
 * 60 days, or is a revision older than 20 months. `--today 2027-01-31` in place of today, `--check` never ends with 1, `--page` prints the page.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const file = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'libs', 'connectors', 'pins.json');
const pins = JSON.parse(readFileSync(file, 'utf8'));
const dayMs = 86_400_000;
const [warnDays, failDays, monthsMax] = [180, 60, 20];

/** Klaviyo's kind: the version is the day on which it was made. */
const isRevision = ({ value }) => /^\d{4}-\d\d-\d\d$/.test(value);

export function judge(today) {
  const lines = [];
  let isFailed = false;
  for (const pin of pins) {
    const days = pin.until === 'unknown' ? Infinity : Math.ceil((Date.parse(pin.until) - Date.parse(today)) / dayMs);
    const months = isRevision(pin) ? (Date.parse(today) - Date.parse(pin.value)) / (30.44 * dayMs) : 0;
    if (days > warnDays && months <= monthsMax) continue;
    isFailed ||= days <= failDays || months > monthsMax;
    const end = days <= 0 ? `ended on ${pin.until}` : `ends on ${pin.until}`;
    lines.push(`${pin.of}, ${pin.pin}: ${pin.value} ${end}, in ${days} days; ${pin.in}; ${pin.source}`);
  }
  return { lines, isFailed };
}

export function page() {
  const head = ['provider or service', 'pin', 'value', 'since', 'until', 'source', 'read on'];
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const rows = pins.map((pin) =>
    row([pin.of, pin.pin, `\`${pin.value}\``, pin.since, pin.until, pin.source, pin.readOn]),
  );
  return [
    '# What is pinned, and until when',
    '',
    'Made from `libs/connectors/pins.json` by `node deploy/release/pins.mjs --page`; a test compares. `unknown`: nobody publishes an end, looked for on the day in the last column.',
    '`npm run check` prints what ends within 180 days; `npm run pins` fails 60 days before an end. A service that starts past one logs `provider.version-ended`, and `GET /v1/providers` says so.',
    '',
    row(head),
    row(head.map(() => '---')),
    ...rows,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const given = args[args.indexOf('--today') + 1];
  const today = args.includes('--today') ? given : new Date().toISOString().slice(0, 10);
  if (args.includes('--page')) process.stdout.write(page());
  else {
    const { lines, isFailed } = judge(today);
    process.stdout.write(`${lines.join('\n') || `Nothing that is pinned ends within ${warnDays} days.`}\n`);
    process.exitCode = isFailed && !args.includes('--check') ? 1 : 0;
  }
}
