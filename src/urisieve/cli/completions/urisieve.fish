# Completions of urisieve for fish, from version 3.0 on: a file in ~/.config/fish/completions
function __urisieve_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (urisieve --complete $words[2..-1] "$current" 2>/dev/null)
    set -q found[2]; and printf '%s\n' $found[2..-1]
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -- "$before" '' "$current")
    switch "$found[1]"
        case files
            set found (__fish_complete_path "$path")
        case folders
            set found (__fish_complete_directories "$path")
        case '*'
            return
    end
    for name in $found
        echo "$before$name"
    end
end
complete -c urisieve -f -a '(__urisieve_complete)'
