export type Shell = "bash" | "zsh" | "fish";

/**
 * Completion scripts by shell. Each calls `fettle completion candidates` with the words so far. The response is one
 * candidate per line, followed by a tab and a summary, or `:files` for file names. After a candidate that ends with `=`
 * or `,` no space is inserted.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  // Bash splits words at = and :, which fettle does not: they are joined again, and only what stands behind the last of them is
  // replaced. Some machines have bash 3, which has no mapfile and no compopt.
  bash: String.raw`# fettle's completion for bash: source <(fettle completion bash)
_fettle() {
  local words=() word line out last stem=""
  for word in "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ${"$"}{#words[@]} -gt 0 && ( $word == [=:]* || ${"$"}{words[${"$"}{#words[@]}-1]} == *[=:] ) ]]; then
      words[${"$"}{#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  last=${"$"}{words[${"$"}{#words[@]}-1]}
  [[ $last == *[=:]* ]] && stem=${"$"}{last%"${"$"}{last##*[=:]}"}
  COMPREPLY=()
  out=$("${"$"}{COMP_WORDS[0]}" completion candidates -- "${"$"}{words[@]}" 2>/dev/null) || return
  if [[ $out == ":files" ]]; then
    if ! compopt -o default 2>/dev/null; then
      while IFS= read -r line; do [[ -n $line ]] && COMPREPLY+=("$line"); done < <(compgen -f -- "$last")
    fi
    return
  fi
  while IFS= read -r line; do
    line=${"$"}{line%%$'\t'*}
    [[ -n $line ]] && COMPREPLY+=("${"$"}{line#"$stem"}")
  done <<< "$out"
  [[ ${"$"}{#COMPREPLY[@]} -eq 1 && ${"$"}{COMPREPLY[0]} == *[=,] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _fettle fettle
`,
  zsh: String.raw`#compdef fettle
# fettle's completion for zsh: source <(fettle completion zsh)
_fettle() {
  local out line word
  local -a found open
  out=$("${"$"}{words[1]}" completion candidates -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null) || return 1
  if [[ $out == ":files" ]]; then
    _files
    return
  fi
  for line in "${"$"}{(@f)out}"; do
    [[ -z $line ]] && continue
    word=${"$"}{line%%$'\t'*}
    if [[ $word == *[=,] ]]; then
      open+=("$word")
    elif [[ $line == *$'\t'* ]]; then
      found+=("${"$"}{word//:/\\:}:${"$"}{line#*$'\t'}")
    else
      found+=("${"$"}{word//:/\\:}")
    fi
  done
  (( $#open )) && compadd -S "" -- $open
  (( $#found )) && _describe -t fettle fettle found
  (( $#open + $#found ))
}
if [[ $funcstack[1] == _fettle ]]; then
  # Found in a folder of fpath, where this file is the function itself.
  _fettle "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _fettle fettle
fi
`,
  fish: String.raw`# fettle's completion for fish: fettle completion fish > ~/.config/fish/completions/fettle.fish
function __fettle_candidates
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  set -l out ($words[1] completion candidates -- $words[2..] "$last" 2>/dev/null)
  if test "$out" = ":files"
    __fish_complete_path "$last"
  else
    printf '%s\n' $out
  end
end
complete -c fettle -f -a '(__fettle_candidates)'
`,
};
