import type { Replay } from './replay';

/** What the guide says of each call: client, call, request, what is answered, and why or in what it differs. */
export function guideRows(replays: readonly Replay[]): string[][] {
  return replays.map(({ client, call, request, status, notDone, differs }) => [
    client,
    call,
    `\`${request.replace('/projects/{projectIdOrName}', 'P').replace('P/integrations/{integrationId}', 'I')}\``,
    notDone === undefined ? String(status) : `**not done** (${status})`,
    notDone ?? differs ?? '',
  ]);
}

/** The rows of the table under a heading of a page, without its head. */
export function tableUnder(heading: string, page: string): string[][] {
  const [, rest = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
