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
		return refusal(fmt.Sprintf("There is no file '%s'. List its folder.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the fix:
type code string

const (
	notFound code = "PATH_NOT_FOUND"
	input    code = "INVALID_INPUT"
)

func coded(code code, message string) *mcp.CallToolResult {
	return refusal(fmt.Sprintf("[%s] %s", code, message))
}

func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return coded(notFound, fmt.Sprintf("There is no file '%s'. List its folder.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the end of the fix
