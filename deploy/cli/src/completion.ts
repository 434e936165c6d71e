import type { Command, Option } from 'commander';
import { CommandFailure, exitCodes } from './failure';
import { pathOf } from './usage-error';

/** What may follow the words of a command. */
interface Place {
  /** The words before: `sluice op watch`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly about: string }[];
}

const shells: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish };

/** The script for a shell, made of the commands themselves. */
export function renderCompletion(program: Command, shell: string): string {
  const render = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (render === undefined) {
    throw new CommandFailure(
      `There is no completion for "${shell}". Known: ${Object.keys(shells).join(', ')}`,
      exitCodes.usage,
    );
  }
  return render(placesOf(program));
}

function placesOf(command: Command): Place[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  const words = [
    ...below.map((each) => ({ word: each.name(), about: each.description() })),
    ...allOptions(command).flatMap(({ long, description }) =>
      long == null ? [] : [{ word: long, about: description }],
    ),
    { word: '--help', about: 'show the help' },
    ...argumentWords(command),
  ];
  return [{ path: pathOf(command), words }, ...below.flatMap(placesOf)];
}

function allOptions(command: Command): Option[] {
  return command.parent === null ? [...command.options] : [...command.options, ...allOptions(command.parent)];
}

function argumentWords(command: Command): Place['words'] {
  return command.name() === 'completion' ? Object.keys(shells).map((word) => ({ word, about: `for ${word}` })) : [];
}

/** The words of the line that are commands, without options and what belongs to them. */
const pathOfLine = (words: string, knows: string) => `local path=sluice word
  for word in ${words}; do
    ${knows}
  done`;

function bash(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`);
  return `# sluice completion bash > /etc/bash_completion.d/sluice
_sluice() {
  ${pathOfLine('"${COMP_WORDS[@]:1:COMP_CWORD-1}"', `case "$path $word" in ${patterns(places)}) path="$path $word" ;; esac`)}
  local words=''
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  # Nothing of ours: files, as of a manifest.
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _sluice sluice
`;
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) => {
    const entries = words.map(({ word, about }) => `'${word}:${quoted(about)}'`);
    return `    '${path}') found=(${entries.join(' ')}) ;;`;
  });
  return `#compdef sluice
# sluice completion zsh > "\${fpath[1]}/_sluice"
_sluice() {
  ${pathOfLine('"${words[@]:1:CURRENT-2}"', `case "$path_ $word" in ${patterns(places)}) path_="$path_ $word" ;; esac`).replace('path=sluice', 'path_=sluice')}
  local -a found
  case "$path_" in
${cases.join('\n')}
  esac
  _describe sluice found || _files
}
if [ "\${funcstack[1]}" = _sluice ]; then _sluice; else compdef _sluice sluice; fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const form = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c sluice -n '__sluice_at "${path}"' ${form} -d '${quoted(about)}'`;
    }),
  );
  return `# sluice completion fish > ~/.config/fish/completions/sluice.fish
function __sluice_at
  set -l path sluice
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${places
        .slice(1)
        .map(({ path }) => `'${path}'`)
        .join(' ')}
        set path "$path $word"
    end
  end
  test "$path" = $argv[1]
end
${lines.join('\n')}
`;
}

function patterns(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => `'${path}'`)
    .join('|');
}

/** For single quotes; zsh takes a colon for the end of a word. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}
