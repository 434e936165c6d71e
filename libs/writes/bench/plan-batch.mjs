// Time to plan a batch of 100 records of 50 fields, with mappings, value mappings, settings and defaults, beside a baseline
// of the same run that only copies the fields. Prints a line of JSON; decides nothing. Run: pnpm --filter @sluice/writes bench:planning
import { performance } from 'node:perf_hooks';
import { planRecord, writeRulesOf } from '../dist/index.js';

const [records, fields, rounds] = [100, 50, 300];
const numbers = (count) => Array.from({ length: count }, (_, at) => at);
const named = (count, entry) => Object.fromEntries(numbers(count).map(entry));

const settings = {
  ...named(15, (at) => [`mapped${at}`, { writeOnUpdate: at % 3 === 0 ? 'ifEmpty' : 'always' }]),
  ...named(10, (at) => [`absent${at}`, { default: { stringValue: 'Hot' } }]),
};
const installation = {
  manifest: { write: { objects: [{ objectName: 'contacts', inheritMapping: true }] } },
  config: {
    read: {
      objects: {
        contacts: {
          objectName: 'contacts',
          selectedFieldMappings: named(30, (at) => [`mapped${at}`, `field${at}`]),
          selectedValueMappings: named(10, (at) => [`field${at}`, { Hot: 'hot_lead', Cold: 'cold_lead' }]),
        },
      },
    },
    write: {
      objects: {
        contacts: {
          objectName: 'contacts',
          selectedFieldSettings: settings,
          selectedValueDefaults: named(10, (at) => [`late${at}`, { value: at }]),
        },
      },
    },
  },
  dropUnmappedFields: false,
};
// The dearer of the two forms: every name is brought to lower case.
const provider = {
  names: 'case-insensitive',
  reserved: { create: ['attributes'], update: ['attributes', 'id'] },
  listSeparator: ';',
};
const batch = numbers(records).map((record) => ({
  id: String(record),
  ...named(30, (at) => [`mapped${at}`, at % 2 === 0 ? 'Hot' : `value ${record}`]),
  ...named(fields - 30, (at) => [`plain${at}`, at]),
}));

function plan() {
  const rules = writeRulesOf(installation, provider, { type: 'update', objectName: 'contacts' });
  return batch.map((record) => planRecord(rules, { record, path: 'record' }));
}

function copy() {
  return batch.map((record) => {
    const copied = {};
    for (const name of Object.keys(record)) copied[name] = record[name];
    return copied;
  });
}

function timed(work) {
  const startedAtMs = performance.now();
  work();
  return performance.now() - startedAtMs;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

for (const work of numbers(50).flatMap(() => [plan, copy])) work();
const [planned, copied] = [[], []];
for (const round of numbers(rounds)) {
  for (const work of round % 2 === 0 ? [plan, copy] : [copy, plan])
    (work === plan ? planned : copied).push(timed(work));
}
const [planMs, copyMs] = [median(planned), median(copied)];
const round = (value) => Math.round(value * 1000) / 1000;
console.log(
  JSON.stringify({
    row: 'plan-batch',
    records,
    fields,
    planMs: round(planMs),
    copyMs: round(copyMs),
    ratio: round(planMs / copyMs),
  }),
);
