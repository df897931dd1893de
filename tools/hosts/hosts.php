<?php
// Answers each line of standard input, a text as UTF-8 in hexadecimal, with the host that parse_url reads; see parsers.py.
while (($line = fgets(STDIN)) !== false) {
    $parts = parse_url(hex2bin(rtrim($line, "\n")));
    if ($parts === false) {
        echo "!\n";
    } else {
        $host = $parts['host'] ?? '';
        echo $host === '' ? "-\n" : '=' . bin2hex($host) . "\n";
    }
}
