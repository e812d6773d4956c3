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
	if err := os.WriteFile(args.Path, []byte(strings.Replace(string(text), args.Old, args.New, 1)), 0o644); err != nil {
		return refusal(fmt.Sprintf("'%s' cannot be written.", args.Path)), nil, nil
	}
	return said("Replaced."), nil, nil
}

// the fix:
func strReplace(ctx context.Context, req *mcp.CallToolRequest, args Replace) (*mcp.CallToolResult, any, error) {
	if args.Old == "" {
		return refusal("'old_str' is empty. Send the text to replace."), nil, nil
	}
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal(fmt.Sprintf("There is no file '%s'.", args.Path)), nil, nil
	}
	if found := strings.Count(string(text), args.Old); found != 1 {
		advice := "Send more of the lines around it."
		if found == 0 {
			advice = "Read the file again."
		}
		told := fmt.Sprintf("'%s' occurs %d times in '%s'; it must occur once. %s", args.Old, found, args.Path, advice)
		return refusal(told), nil, nil
	}
	if err := os.WriteFile(args.Path, []byte(strings.Replace(string(text), args.Old, args.New, 1)), 0o644); err != nil {
		return refusal(fmt.Sprintf("'%s' cannot be written.", args.Path)), nil, nil
	}
	return said("Replaced."), nil, nil
}

// the end of the fix
