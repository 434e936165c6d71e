# bash complete.bash SCRIPT WORD...: prints what Tab offers for the last word. Readline offers files itself where compopt asks it to.
compopt() { [ "$*" != '-o default' ] || compgen -f -- "${COMP_WORDS[COMP_CWORD]}"; }
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$(($# - 2))
"$(complete -p sluice | sed 's/.*-F \([^ ]*\).*/\1/')"
printf '%s\n' "${COMPREPLY[@]}"
