package main

import (
	"context"
	"encoding/json"
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
		return refusal(fmt.Sprintf("There is no file '%s'.", args.Path)), nil, nil
	}
	return said(string(text)), nil, nil
}

// the fix:
type envelope struct {
	Success   bool     `json:"success"`
	ErrorCode string   `json:"error_code"`
	Message   string   `json:"message"`
	Retryable bool     `json:"retryable"`
	Hints     []string `json:"recovery_hints"`
	FilePath  string   `json:"file_path"`
}

func told(of envelope) (*mcp.CallToolResult, any, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, nil, err
	}
	result := refusal(string(text))
	result.StructuredContent = of
	return result, nil, nil
}

func readFile(ctx context.Context, req *mcp.CallToolRequest, args ReadFile) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return told(envelope{
			ErrorCode: "FILE_NOT_FOUND",
			Message:   fmt.Sprintf("There is no file '%s'.", args.Path),
			Retryable: true, // another input may work
			Hints:     []string{"List the folder of 'path' first."},
			FilePath:  args.Path,
		})
	}
	return said(string(text)), nil, nil
}

// the end of the fix
