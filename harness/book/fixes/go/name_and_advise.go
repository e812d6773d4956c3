package main

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	choose(server, isFixed, readTool, faulty, readFile)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal("Invalid request."), nil, nil
	}
	return said(string(text)), nil, nil
}

// the fix:
func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf(
			"No file has the 'path' '%s'. Send a path that exists: list its folder to see which do.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the end of the fix
