package main

import (
	"context"
	"log"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var answer = "<html><body>" + strings.Repeat("<p>The gateway is sorry.</p>\n", 900) + "</body></html>"

func register(server *mcp.Server, isFixed bool, root string) {
	read := func(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
		text, err := os.ReadFile(args.Path)
		switch {
		case err == nil:
			return said(string(text)), nil, nil
		case isFixed:
			return storeFailed(args.Path, answer), nil, nil
		default:
			return refusal("No note at '" + args.Path + "'. The store answered: " + answer + " List its folder."), nil, nil
		}
	}
	mcp.AddTool(server, readTool, read)
}

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
