import { CommandFailure, explainFailure } from './failure';

it('passes on no control sequence of a terminal, whoever said it', async () => {
  const { text } = await explainFailure(new CommandFailure('gone\u001B[2J\u001B]0;title\u0007 and\n back'), false);
  expect(text).toBe('sluice: gone [2J ]0;title  and back');
});
