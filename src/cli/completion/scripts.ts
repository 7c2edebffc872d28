export type Shell = "bash" | "zsh" | "fish";

/**
 * What a shell reads to complete `fettle`. Each asks `fettle completion candidates` with the words so far, and gets a
 * candidate a line, with a tab and a summary behind it, or `:files` when files are meant.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: String.raw`# fettle's completion for bash: source <(fettle completion bash)
_fettle() {
  local line IFS=$'\n' out
  out=$("${"$"}{COMP_WORDS[0]}" completion candidates -- "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  if [[ $out == ":files" ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  for line in $out; do
    COMPREPLY+=("${"$"}{line%%$'\t'*}")
  done
}
complete -F _fettle fettle
`,
  zsh: String.raw`#compdef fettle
# fettle's completion for zsh: source <(fettle completion zsh)
_fettle() {
  local out line word
  local -a found
  out=$("${"$"}{words[1]}" completion candidates -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)
  if [[ $out == ":files" ]]; then
    _files
    return
  fi
  for line in "${"$"}{(@f)out}"; do
    [[ -z $line ]] && continue
    word=${"$"}{line%%$'\t'*}
    if [[ $line == *$'\t'* ]]; then
      found+=("${"$"}{word//:/\\:}:${"$"}{line#*$'\t'}")
    else
      found+=("${"$"}{word//:/\\:}")
    fi
  done
  _describe -t fettle fettle found
}
compdef _fettle fettle
`,
  fish: String.raw`# fettle's completion for fish: fettle completion fish > ~/.config/fish/completions/fettle.fish
function __fettle_candidates
  set -l words (commandline -opc) (commandline -ct)
  set -l out ($words[1] completion candidates -- $words[2..] 2>/dev/null)
  if test "$out" = ":files"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\n' $out
  end
end
complete -c fettle -f -a '(__fettle_candidates)'
`,
};
