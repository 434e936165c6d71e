# zsh -f complete.zsh FPATH SCRIPT LINE: prints what Tab offers at the end of LINE, in an interactive zsh on a terminal of its own.
# FPATH is a folder of completion functions, SCRIPT is sourced after compinit; either may be empty.
zmodload zsh/zpty
zpty shell "${ZSH_PROGRAM:-zsh} -f -i"
zpty -w shell "${1:+fpath=(${(q)1} \$fpath);} autoload -Uz compinit; compinit -u -D; ${2:+source ${(q)2}}"
# Everything that is offered goes through compadd; -O, -A and -D only ask it to sort out.
zpty -w shell 'begin-offer() { print -r - "<<"; }; end-offer() { print -r - ">>"; exit; }
compprefuncs=(begin-offer); comppostfuncs=(end-offer); bindkey "^I" complete-word
compadd() {
  local -a found
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return; }
  builtin compadd -A found "$@"
  (( $#found )) && print -rl - $found
  builtin compadd "$@"
}
print -r - re""ady'
until [[ $printed == *ready* ]]; do zpty -r shell printed || exit 1; done
zpty -w -n shell "$3"$'\t'
while zpty -r shell printed; do print -rn - $printed; done
