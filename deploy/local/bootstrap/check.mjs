import { spawn } from 'node:child_process';
import process from 'node:process';
import { childEnvironment, pageBuilds, root, tool, workspaceNode } from './child.mjs';

const jest = (...projects) => [tool('jest'), '--maxWorkers', '2', '--selectProjects', ...projects];
const tsc = (...args) => [tool('tsc', 'typescript'), ...args];
const prettierCache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.sluice/prettier'];

/** The commands of a step run in turn until one fails. Listed when called: the tools are installed by then. */
const steps = () => [
  {
    name: 'types',
    commands: [
      tsc('-b'),
      ...pageBuilds.map((build) => [build]),
      tsc('-p', 'tsconfig.tests.json'),
      tsc('-p', 'tests/browser/published-react'),
    ],
  },
  {
    name: 'format',
    commands: [
      [tool('prettier'), '--check', '--log-level', 'warn', ...prettierCache, '.'],
      [tool('markdownlint-cli2')],
    ],
    needsTypes: false,
  },
  // The longest, so it comes before what is short.
  { name: 'unit, architecture', commands: [jest('unit', 'architecture')], isTest: true },
  // A package's types come from what was compiled, and without them the linter guesses.
  { name: 'lint', commands: [[tool('oxlint'), '--type-aware']] },
  { name: 'unused exports', commands: [[tool('knip'), '--no-progress']] },
];

const usage = 'usage: npm run check [-- --without-tests]   the tests are those of npm test, too';

/**
 * `npm run check`: every step, also after one that failed, two at a time: prettier and jest leave a second core idle. The output of a failed step
 * comes whole, then a table.
 * @returns 0 or 1; 2 for another argument than `--without-tests`
 */
export async function runCheck(args) {
  const isWithoutTests = args[0] === '--without-tests';
  if (args.length > Number(isWithoutTests)) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const [types, ...others] = steps().filter(({ isTest }) => !(isTest && isWithoutTests));
  const outcomes = [];
  const run = async ({ name, commands }) => {
    process.stdout.write(`${name} …\n`);
    const begunAt = performance.now();
    const failure = await runStep(commands);
    if (failure !== undefined) process.stdout.write(`${name}:\n${failure}\n`);
    outcomes.push({ name, isOk: failure === undefined, seconds: (performance.now() - begunAt) / 1000 });
  };
  const compiled = run(types);
  const runOthers = async () => {
    for (let next = others.shift(); next !== undefined; next = others.shift()) {
      if (next.needsTypes !== false) await compiled;
      await run(next);
    }
  };
  await Promise.all([compiled.then(runOthers), runOthers()]);
  const pins = await collect(['deploy/release/pins.mjs', '--check']);
  process.stdout.write(`\n${pins.output}\n`);
  for (const { name, isOk, seconds } of outcomes) {
    process.stdout.write(`${isOk ? 'ok    ' : 'FAILED'}  ${name.padEnd(20)}${seconds.toFixed(1).padStart(6)} s\n`);
  }
  return outcomes.every((outcome) => outcome.isOk) ? 0 : 1;
}

async function runStep(commands) {
  for (const args of commands) {
    const { code, output } = await collect(args);
    if (code !== 0) return output.trimEnd() || `ended with ${code}`;
  }
  return undefined;
}

function collect(args) {
  return new Promise((resolve) => {
    const child = spawn(workspaceNode, args, { cwd: root, env: childEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}
