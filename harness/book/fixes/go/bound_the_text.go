package fixes

import (
	"log"
	"regexp"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// the fix:
var tags = regexp.MustCompile(`<[^>]*>`)

func inShort(text string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, tags.ReplaceAllString(text, " "))
	short := []rune(strings.Join(strings.Fields(plain), " "))
	return string(short[:min(len(short), 120)])
}

func storeFailed(path, answer string) *mcp.CallToolResult {
	log.Printf("the store answered %s", answer) // whole, on standard error
	return refusal("No note at '" + path + "'. The store answered: \"" + inShort(answer) + "\". List its folder.")
}

// the end of the fix
