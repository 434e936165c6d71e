import { profilesCommand, type Choice, type CommandEntry, type Values, type Word } from './command-entries';

/** A function for each command. Source: zsh manual, "Completion System", _arguments and _describe. */
export function zsh(entries: readonly CommandEntry[], common: readonly Choice[]): string {
  return `#compdef sluice
# zsh, after compinit: source <(sluice completion zsh)
# or for good: sluice completion zsh > "\${fpath[1]}/_sluice"
_sluice() {
  local -a everywhere=(
${common.map((choice) => `    ${option(choice)}`).join('\n')}
  )
  _sluice_at
}
_sluice_profiles() {
  local -a expl profiles=(\${(f)"$(_call_program profiles ${profilesCommand} 2>/dev/null)"})
  _wanted profiles expl profile compadd -a profiles
}
${entries.map((entry) => at(entry, entries)).join('')}if [ "\${funcstack[1]}" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

function at({ path, commands, options, argument }: CommandEntry, entries: readonly CommandEntry[]): string {
  const specs = [...options.map(option), '$everywhere'];
  if (commands.length === 0) {
    if (argument !== undefined) specs.push(quoted(`1${action(argument)}`));
    return `${named(path)}() {\n  _arguments ${specs.join(' \\\n    ')}\n}\n`;
  }
  const below = entries.filter((entry) => commands.some(({ word }) => entry.path === `${path} ${word}`));
  return `${named(path)}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  local -a commands=(
${commands.map((command) => `    ${described(command)}`).join('\n')}
  )
  _arguments -C ${specs.join(' \\\n    ')} \\
    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${below.map((entry) => `        ${entry.path.slice(path.length + 1)}) ${named(entry.path)} ;;`).join('\n')}
      esac
      ;;
  esac
}
`;
}

/** `sluice op watch`: `_sluice_at_op_watch`. */
function named(path: string): string {
  return path.replace('sluice', '_sluice_at').replaceAll(' ', '_');
}

function described({ word, about }: Word): string {
  return quoted(`${word}:${about}`);
}

function option({ word, about, values }: Choice): string {
  const explained = `[${about.replaceAll(/[\][:\\]/g, '\\$&')}]`;
  if (values === undefined) return quoted(word + explained);
  return quoted(values.isMany ? `${word}${explained}:*-*${action(values)}` : `${word}=${explained}${action(values)}`);
}

/** Message and action; a value that only the service knows is named and not completed. */
function action({ name, words, isFile, isProfile }: Values): string {
  if (isFile) return `:${name}:_files`;
  if (isProfile) return `:${name}:_sluice_profiles`;
  return words.length === 0 ? `:${name}: ` : `:${name}:(${words.join(' ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
