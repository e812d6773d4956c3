package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server, isFixed bool, root string) {
	schema := json.RawMessage(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}`)
	tool := *readTool
	tool.InputSchema = schema
	if isFixed {
		server.AddTool(&tool, readFileRaw)
	} else {
		server.AddTool(&tool, faulty)
	}
}

func faulty(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args ReadFile
	decoder := json.NewDecoder(bytes.NewReader(req.Params.Arguments))
	if err := decoder.Decode(&args); err != nil {
		return refusal(fmt.Sprintf("%#v", err)), nil
	}
	if args.Path == "" {
		return refusal(fmt.Sprintf("invalid arguments: %#v", args)), nil
	}
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return refusal("No file has the 'path' '" + args.Path + "'. List its folder."), nil
	}
	return said(string(text)), nil
}

// the fix:
// Added by the method `server.AddTool`, with the tool's `InputSchema` as before; its handler gets the arguments as they came.
func readFileRaw(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Path *string `json:"path"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return refusal("Parameter 'path' must be a string. Send {\"path\": \"the file's path\"}."), nil
	}
	if args.Path == nil {
		return refusal("Parameter 'path' is missing. Send {\"path\": \"the file's path\"}."), nil
	}
	text, err := os.ReadFile(*args.Path)
	if err != nil {
		return refusal("No file has the 'path' '" + *args.Path + "'. List its folder."), nil
	}
	return said(string(text)), nil
}

// the end of the fix
