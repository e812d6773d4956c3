package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	choose(server, isFixed, replaceTool, faulty, strReplace)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args Replace) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf("There is no file '%s'.", args.Path)), nil, nil
	}
	file, err := os.Create(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf("'%s' cannot be written.", args.Path)), nil, nil
	}
	defer file.Close()
	if strings.Count(string(text), args.Old) != 1 {
		return refusal(fmt.Sprintf("'%s' must occur once in '%s'. Read it again.", args.Old, args.Path)), nil, nil
	}
	if _, err := file.WriteString(strings.Replace(string(text), args.Old, args.New, 1)); err != nil {
		return refusal(fmt.Sprintf("'%s' cannot be written.", args.Path)), nil, nil
	}
	return said("Replaced."), nil, nil
}

// the fix:
func strReplace(ctx context.Context, req *mcp.CallToolRequest, args Replace) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil || strings.Count(string(text), args.Old) != 1 {
		return refusal(fmt.Sprintf("'%s' must occur once in '%s'. Read it again.", args.Old, args.Path)), nil, nil
	}
	changed := strings.Replace(string(text), args.Old, args.New, 1)
	beside := args.Path + ".new"
	if err := os.WriteFile(beside, []byte(changed), 0o644); err != nil {
		return refusal(fmt.Sprintf("'%s' cannot be written.", args.Path)), nil, nil
	}
	if err := os.Rename(beside, args.Path); err != nil {
		return refusal(fmt.Sprintf("'%s' cannot be written.", args.Path)), nil, nil
	}
	return said("Replaced."), nil, nil
}

// the end of the fix
