package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	choose(server, isFixed, readTool, faulty, fetchNote)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := fetched(context.Background(), args.Path)
	if err != nil {
		return refusal("The store did not answer."), nil, nil
	}
	return said(text), nil, nil
}

// fetched stands for a store that answers when there is something, and else keeps the caller waiting.
func fetched(ctx context.Context, path string) (string, error) {
	for ctx.Err() == nil {
		if text, err := os.ReadFile(path); err == nil {
			return string(text), nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "", ctx.Err()
}

// the fix:
func fetchNote(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	ctx, cancel := context.WithTimeout(ctx, 800*time.Millisecond)
	defer cancel()
	text, err := fetched(ctx, args.Path)
	if err != nil {
		return refusal(fmt.Sprintf(
			"The store did not answer for '%s' within 0.8 s. Check the path, or try again later.", args.Path)), nil, nil
	}
	return said(text), nil, nil
}

// the end of the fix
