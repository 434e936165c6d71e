import { createSupervisor } from './supervisor';

function create() {
  const lines: string[] = [];
  const supervisor = createSupervisor((line) => void lines.push(line), 1);
  return { lines, supervisor };
}

it('gives up on a part that dies again and again, with rising pauses, and says what to do', async () => {
  const { lines, supervisor } = create();
  const restart = () => Promise.reject(new Error('the disk is full'));
  const isBack = await supervisor.report({
    name: 'postgres',
    how: 'exit code 1',
    logTail: 'x.log ends with:',
    restart,
  });
  expect(isBack).toBe(false);
  expect(lines[0]).toBe('postgres: died (exit code 1)\nx.log ends with:');
  expect(lines[2]).toBe('postgres: died (at its start)\nthe disk is full');
  expect(lines.filter((line) => line.includes('is started again'))).toEqual(
    [0.001, 0.002, 0.004, 0.008].map((seconds) => `postgres: is started again in ${seconds} s`),
  );
  expect(lines.at(-1)).toMatch(/^postgres: died 5 times within 5 minutes and stays down\. Mend the cause/);
});

it('counts the deaths of each part for itself', async () => {
  const { lines, supervisor } = create();
  for (const name of ['redis', 'kafka', 'redis', 'kafka', 'redis', 'kafka']) {
    await supervisor.report({ name, how: 'SIGKILL', logTail: '', restart: async () => true });
  }
  expect(lines.filter((line) => line.endsWith('runs again'))).toHaveLength(6);
});

it('reports and starts nothing once it is stopped', async () => {
  const { lines, supervisor } = create();
  const restart = jest.fn(async () => true);
  supervisor.stop();
  await supervisor.report({ name: 'search', how: 'SIGTERM', logTail: '', restart });
  supervisor.watch({ findDead: async () => [{ name: 'redis', how: 'SIGTERM', logTail: '' }], restart });
  await new Promise((resolve) => setImmediate(resolve));
  expect({ lines, calls: restart.mock.calls }).toEqual({ lines: [], calls: [] });
});
