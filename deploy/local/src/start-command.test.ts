import { run } from './start-command';

it('--observe is refused, with what to use', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await run(['--observe', '--once'])).toBe(2);
    expect(write.mock.calls.flat()).toEqual([expect.stringMatching(/^--observe is gone: .*observe\.yaml.*\n$/)]);
  } finally {
    write.mockRestore();
  }
});
