package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	choose(server, isFixed, shellTool, faulty, bash)
}

func faulty(ctx context.Context, req *mcp.CallToolRequest, args Command) (*mcp.CallToolResult, any, error) {
	output, _ := exec.CommandContext(ctx, "bash", "-c", args.Command).CombinedOutput()
	return said(fmt.Sprintf("Output:\n%s", output)), nil, nil
}

// the fix:
func bash(ctx context.Context, req *mcp.CallToolRequest, args Command) (*mcp.CallToolResult, any, error) {
	output, err := exec.CommandContext(ctx, "bash", "-c", args.Command).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return said(fmt.Sprintf("%s\nexit status 0", output)), nil, nil
	case errors.As(err, &failed):
		return said(fmt.Sprintf("%s\n%s", output, failed.ProcessState)), nil, nil // "exit status 2", "signal: killed"
	default:
		return refusal("There is no 'bash' here."), nil, nil
	}
}

// the end of the fix
