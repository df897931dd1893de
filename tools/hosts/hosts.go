// Answers each line of standard input, a text as UTF-8 in hexadecimal, with the host that net/url reads; see parsers.py.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		text, _ := hex.DecodeString(lines.Text())
		made, err := url.Parse(string(text))
		switch {
		case err != nil:
			fmt.Fprintln(out, "!")
		case made.Hostname() == "":
			fmt.Fprintln(out, "-")
		default:
			fmt.Fprintln(out, "="+hex.EncodeToString([]byte(made.Hostname())))
		}
	}
}
