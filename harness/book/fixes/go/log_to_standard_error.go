package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	choose(server, isFixed, readTool, faulty, readFile)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	fmt.Println("reading", args.Path)
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf("No note at '%s'. List its folder to see which there are.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the fix:
// `log` writes to standard error; `fmt.Println` does not.
func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	log.Printf("reading %s", args.Path)
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf("No note at '%s'. List its folder to see which there are.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the end of the fix
