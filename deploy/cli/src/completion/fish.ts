import { profilesCommand, type Choice, type CommandEntry, type Values } from './command-entries';

/** Source: fish documentation, "complete". */
export function fish(entries: readonly CommandEntry[], common: readonly Choice[]): string {
  const options = [...common, ...entries.flatMap((entry) => entry.options)].filter(
    ({ values }) => values !== undefined,
  );
  const many = options.filter(({ values }) => values?.isMany);
  return `# fish: sluice completion fish > ~/.config/fish/completions/sluice.fish
# Whether the words lead to this command, and, where a second word is given, into the values of this option; "" is none.
function __sluice_at
  set -l path sluice
  set -l option
  for word in (commandline -opc)[2..-1]
    switch $word
      case ${spelled(options)}
        set option $word
        continue
      case '-*'
        set option
        continue
    end
    if set -q option[1]
      contains -- $option ${spelled(many)}
      or set option
      continue
    end
    switch "$path $word"
      case ${entries
        .slice(1)
        .map(({ path }) => quoted(path))
        .join(' ')}
        set path "$path $word"
    end
  end
  test "$path" = $argv[1]
  and begin
    not set -q argv[2]
    or test "$option" = "$argv[2]"
  end
end
complete -c sluice -f
${common.map((choice) => `complete -c sluice ${option(choice)}\n`).join('')}${entries.map(at).join('')}`;
}

function at({ path, commands, options, argument }: CommandEntry): string {
  const line = (condition: string, form: string) =>
    `complete -c sluice -n ${quoted(`__sluice_at "${path}"${condition}`)} ${form}\n`;
  // Not where the value of an option is typed.
  const words = commands.map(({ word, about }) => line(' ""', `-a ${word} -d ${quoted(about)}`));
  const own = argument === undefined || offered(argument) === '' ? [] : [line(' ""', offered(argument))];
  // Fish knows the value of an option itself, but only the first.
  const more = options.flatMap((each) => (each.values?.isMany ? line(` ${each.word}`, offered(each.values)) : []));
  return [...words, ...own, ...options.map((choice) => line('', option(choice))), ...more].join('');
}

function option({ word, about, values }: Choice): string {
  const taken = values === undefined ? '' : ` -r ${offered(values) || '-f'}`;
  return `-l ${word.slice(2)} -d ${quoted(about)}${taken}`;
}

/** Files, profiles, or the words that are valid; nothing where only the service knows. */
function offered({ isFile, isProfile, words }: Values): string {
  if (isFile) return '-F';
  if (isProfile) return `-f -a ${quoted(`(${profilesCommand} 2>/dev/null)`)}`;
  return words.length === 0 ? '' : `-f -a ${quoted(words.join(' '))}`;
}

function spelled(options: readonly Choice[]): string {
  return [...new Set(options.map(({ word }) => word))].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
