// Raises the errors whose texts the Go variants of the leak defects show. Built with -trimpath in /srv/app, so that
// nothing of the machine gets into the recordings:
//
//	for it in lstat stack panic struct; do ./app $it > $it.txt 2>&1; done
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp/syntax"
	"runtime/debug"
)

// The values that stand in the recordings; the server puts what its caller sent in their place.
const (
	path    = "/srv/app/PATH"
	pattern = "[PATTERN"
)

type tools struct{ tasks []string }

func (t *tools) output(id int) string { return t.tasks[id] }

func (t *tools) search(pattern string) { fmt.Print(string(debug.Stack())) }

func main() {
	var t tools
	switch os.Args[1] {
	case "lstat":
		_, err := filepath.EvalSymlinks(path)
		fmt.Print(err)
	case "stack":
		t.search(pattern)
	case "panic":
		// Only the first line: what follows it is the stack, which has a recording of its own.
		defer func() { fmt.Print("panic: ", recover()) }()
		t.output(0)
	case "struct":
		_, err := syntax.Parse(pattern, syntax.Perl)
		fmt.Printf("%#v", err)
	}
}
