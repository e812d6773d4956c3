package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var prefix string

func register(server *mcp.Server, isFixed bool, folder string) {
	prefix = folder
	opened, err := os.OpenRoot(folder)
	if err != nil {
		log.Fatal(err)
	}
	root = opened
	choose(server, isFixed, readTool, faulty, readFile)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	if !strings.HasPrefix(args.Path, prefix) {
		return refusal(fmt.Sprintf("'%s' is outside '%s'. Use a path in it.", args.Path, prefix)), nil, nil
	}
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf("There is no file '%s'. List its folder.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the fix:
// Opened once, at the start: what leads out of it, by `..` or by a link, is not opened.
var root *os.Root // from os.OpenRoot

func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	name := args.Path
	if inside, err := filepath.Rel(root.Name(), name); err == nil && filepath.IsAbs(name) {
		name = inside
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return refusal(fmt.Sprintf("'%s' is not a file in '%s'. List the folder.", args.Path, root.Name())), nil, nil
	}
	return said(string(text)), nil, nil
}

// the end of the fix
