# Completions of urisieve for bash, from version 3.2 on: eval "$(urisieve completion bash)"
_urisieve() {
    local line
    local -a found=()
    while IFS= read -r line; do
        found+=("${line%%$'\t'*}")
    done < <(urisieve --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case ${found[0]} in
    files) ;;  # with no word found, readline completes the names of files
    folders) compopt +o default -o dirnames 2>/dev/null ;;
    list) compopt +o default -o nospace 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
    esac
    COMPREPLY=("${found[@]:1}")
}
complete -o default -F _urisieve urisieve
