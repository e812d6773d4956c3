package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	choose(server, isFixed, readTool, faulty, readFile)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return nil, nil, err
	}
	return said(string(text)), nil, nil
}

// the fix:
func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err == nil {
		return said(string(text)), nil, nil
	}
	log.Printf("read_file %s: %v", args.Path, err) // whole, on standard error
	cause := "cannot be read"
	if errors.Is(err, fs.ErrNotExist) {
		cause = "does not exist"
	}
	return refusal(fmt.Sprintf("'%s' %s. List its folder to see which files there are.", args.Path, cause)), nil, nil
}

// the end of the fix
