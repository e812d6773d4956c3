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
		return said(fmt.Sprintf("Error: no note at '%s'. List the folder.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the fix:
func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		message := fmt.Sprintf("No note at '%s'. List the folder to see which there are.", args.Path)
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: message}}}, nil, nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
}

// the end of the fix
