#compdef urisieve
# Completions of urisieve for zsh: a file `_urisieve` in a folder of $fpath, or: source <(urisieve completion zsh)
_urisieve() {
    local -a found plain
    found=("${(@f)$(urisieve --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    local kind=$found[1]
    shift found
    plain=("${(@)found%%$'\t'*}")
    case $kind in
    files)
        compadd -a plain
        compset -P '--*='
        _files
        ;;
    folders)
        compset -P '--*='
        _files -/
        ;;
    list) compadd -S '' -a plain ;;
    *)
        found=("${(@)found//:/\\:}")
        found=("${(@)found/$'\t'/:}")
        _describe urisieve found
        ;;
    esac
}
if [ "$funcstack[1]" = _urisieve ]; then
    _urisieve "$@"
else
    compdef _urisieve urisieve
fi
