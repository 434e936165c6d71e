import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { flood } from './flood';
import { watching } from './watch';

/** Answers at once, but works for 1.2 s of CPU at `/hold`. */
const program = `
  const used = () => process.cpuUsage().user / 1_000;
  const hold = () => { const end = used() + 1_200; while (used() < end); };
  require('node:http')
    .createServer((asked, reply) => { if (asked.url === '/hold') hold(); reply.end(); })
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/** The meter itself: it notices what blocks the event loop, and does not count a request that only waits for admission. */
it('sees a held event loop, and no more of it than there is', async () => {
  const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  const watchingFlood = async (count: number, path: string) =>
    watching({ url, pid: server.pid ?? 0 }, () => flood(Array.from({ length: count }, () => ({ url: url + path }))));
  try {
    const { watched: held } = await watchingFlood(1, '/hold');
    expect(held.stallMs).toBeGreaterThan(900);
    const { result, watched: crowded } = await watchingFlood(2_000, '/');
    expect(result.filter(({ status }) => status !== 200)).toEqual([]);
    expect(crowded).toMatchObject({ unanswered: 0 });
    expect(crowded.stallMs).toBeLessThan(held.stallMs / 2);
  } finally {
    server.kill('SIGKILL');
  }
});
