import { profilesCommand, type Choice, type CommandEntry, type Values } from './command-entries';

/** For bash 4 and later. Source: Bash reference manual, "Programmable Completion". */
export function bash(entries: readonly CommandEntry[], common: readonly Choice[]): string {
  const options = [...common, ...entries.flatMap((entry) => entry.options)].filter(
    ({ values }) => values !== undefined,
  );
  const many = options.filter(({ values }) => values?.isMany);
  return `# bash: source <(sluice completion bash)
_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=sluice option='' word words options='${spelled(common)}'
  # Which command the words lead to, and the option whose value is typed.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      =) continue ;;
      ${patterns(options)}) option="$word"; continue ;;
      -*) option=''; continue ;;
    esac
    case "$option" in
      '') ;;
      ${patterns(many)}) continue ;;
      *) option=''; continue ;;
    esac
    case "$path $word" in
      ${entries
        .slice(1)
        .map(({ path }) => `'${path}'`)
        .join('|')}) path="$path $word" ;;
    esac
  done
  [ "$current" != = ] || current=''
  case "$path" in
${entries.map((entry) => `    '${entry.path}') options="$options ${spelled(entry.options)}" words=${wordsAfter(entry)} ;;`).join('\n')}
  esac
  case "$path $option" in
${[...valueCases(entries, common)].join('\n')}
    *' ') ;;
    *) words='' ;;
  esac
  case "$current" in -*) words="$options" ;; esac
  if [ "$words" = '<file>' ]; then
    compopt -o default
    COMPREPLY=()
  elif [ "$words" = '<profile>' ]; then
    COMPREPLY=()
    while IFS= read -r word; do
      printf -v word %q "$word"
      [[ "$word" != "$current"* ]] || COMPREPLY+=("$word")
    done < <(${profilesCommand} 2>/dev/null)
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _sluice sluice
`;
}

/** Commands, else values, else there is nothing but options. */
function wordsAfter({ commands, argument }: CommandEntry): string {
  if (argument !== undefined) return wordsOf(argument);
  return commands.length === 0 ? '"$options"' : `'${spelled(commands)}'`;
}

function* valueCases(entries: readonly CommandEntry[], common: readonly Choice[]): Iterable<string> {
  for (const { word, values } of common) {
    if (values !== undefined) yield `    *' ${word}') words=${wordsOf(values)} ;;`;
  }
  for (const { path, options } of entries) {
    for (const { word, values } of options) {
      if (values !== undefined) yield `    '${path} ${word}') words=${wordsOf(values)} ;;`;
    }
  }
}

function wordsOf({ isFile, isProfile, words }: Values): string {
  if (isProfile) return `'<profile>'`;
  return isFile ? `'<file>'` : `'${words.join(' ')}'`;
}

function spelled(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => word).join(' ');
}

function patterns(options: readonly Choice[]): string {
  return [...new Set(options.map(({ word }) => word))].join('|');
}
