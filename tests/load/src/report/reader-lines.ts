import { shortFigure } from '../harness/alternate';
import { isMet, type Finding } from '../harness/finding';
import type { FaultLine } from './fault-lines';
import type { Results } from './results-file';

/** A question of somebody who thinks of using it, and the figures that answer it. */
interface Question {
  readonly question: string;
  readonly row: string;
  /** Of the row's findings, those whose `what` has this in it. @default all */
  readonly what?: RegExp;
  readonly answer: (findings: readonly [Finding, ...Finding[]]) => string;
}

const ofFirst =
  (text: (figure: string) => string): Question['answer'] =>
  ([{ ours }]) =>
    text(shortFigure(ours));

const questions: readonly Question[] = [
  {
    question: 'How many writes a second does one gateway accept, each committed to Postgres before the reply?',
    row: 'P1',
    answer: ofFirst((figure) => `${figure} a second`),
  },
  {
    question: 'How many auto-batched records a second are written, from the request to the known outcome?',
    row: 'P6',
    answer: ofFirst((figure) => `${figure} a second`),
  },
  {
    question: 'How many calls does the provider get for 1,000 auto-batched records?',
    row: 'P7',
    answer: ofFirst((figure) => figure),
  },
  {
    question: "What does a synchronous write add to the provider's own time?",
    row: 'P9',
    what: /^synchronous write.* p\d\d added$/,
    answer: addedTimes,
  },
  {
    question: "What does a search add to the provider's own time?",
    row: 'P9',
    what: /^search.* p\d\d added$/,
    answer: addedTimes,
  },
  {
    question: 'How much CPU do a million records take, with Postgres, Redis and Kafka?',
    row: 'P16',
    answer: ofFirst((figure) => `${figure} s of one core`),
  },
  { question: 'How much memory does a process take under load?', row: 'P17', what: /in all$/, answer: fromTo },
  { question: 'What if Kafka or Redis is down?', row: 'P14', answer: whenDown },
  {
    question: 'How soon does another executor go on with the calls of one that was killed?',
    row: 'P15',
    answer: ([{ judged }]) => `after ${shortFigure(judged)} s`,
  },
];

/** Each load with what it adds: `at 200/s 5.1 ms in the median, 12 ms at the 99th percentile; one caller 9.1 ms in the median`. */
function addedTimes(findings: readonly Finding[]): string {
  const byLoad = new Map<string, string[]>();
  for (const { what, ours, judged, judgedUnit } of findings) {
    const [, load = '', share = ''] = /^(?:synchronous write|search)(?:,? (.*))?, (p\d\d) added$/.exec(what) ?? [];
    // Beside a ratio to another program stands in `ours` what is added to the call itself.
    const ms = shortFigure(judgedUnit === 'ms' ? judged : ours);
    byLoad.set(load, [
      ...(byLoad.get(load) ?? []),
      `${ms} ms ${share === 'p50' ? 'in the median' : 'at the 99th percentile'}`,
    ]);
  }
  return [...byLoad].map(([load, times]) => `${load} ${times.join(', ')}`.trim()).join('; ');
}

function fromTo(findings: readonly Finding[]): string {
  const figures = findings.map(({ ours }) => ours);
  return `${shortFigure(Math.min(...figures))} to ${shortFigure(Math.max(...figures))} MB`;
}

function whenDown(findings: readonly Finding[]): string {
  const parts = findings.map(({ what, judged }) => `${what.replace(/^.*, /, '')}: ${Math.round(judged * 100)} %`);
  return `writes are accepted all the same (of the rate with both up: ${parts.join(', ')})`;
}

/** What comes first in BENCHMARKS.md: the answers in words, each with the row that it comes from. A row that was never run has none. */
export function readerLines(results: Results, faults: readonly FaultLine[]): string[] {
  const answers = questions.flatMap(({ question, row, what, answer }) => {
    const [first, ...more] = (results[row]?.findings ?? []).filter((finding) => what?.test(finding.what) ?? true);
    return first === undefined ? [] : [`| ${question} | ${answer([first, ...more])} | ${row} |`];
  });
  const all = Object.values(results).flatMap(({ findings }) => findings);
  const missed = all.filter((finding) => !isMet(finding)).length;
  return [
    '## What to expect',
    '',
    '| question | answer | row |',
    '| --- | --- | --- |',
    ...answers,
    ...faultAnswer(faults),
    '',
    `Of ${all.length} targets ${missed} are missed; each says so in its row. The baselines do less than Sluice does: they show where its time goes.`,
    '',
  ];
}

function faultAnswer(faults: readonly FaultLine[]): string[] {
  if (faults.length === 0) return [];
  const sum = (member: string) => faults.reduce((total, line) => total + Number(line[member] ?? 0), 0);
  const counts = ['lost', 'duplicates', 'falseSuccess'].map((member) => shortFigure(sum(member)));
  const [lost, doubled, wrong] = counts;
  const writes = `${shortFigure(sum('accepted'))} accepted writes of ${faults.length} runs`;
  return [
    `| What is lost while processes, brokers and databases are killed? | of ${writes}: ${lost} lost, ${doubled} written twice, ${wrong} reported as written that were not | [Faults](#faults) |`,
  ];
}
