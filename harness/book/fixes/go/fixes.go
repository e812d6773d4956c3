// What the servers have in common.
package main

import "github.com/modelcontextprotocol/go-sdk/mcp"

// ReadFile is what read_file is called with.
type ReadFile struct {
	Path string `json:"path" jsonschema:"the file's path"`
}

// Replace is what str_replace is called with.
type Replace struct {
	Path string `json:"path"`
	Old  string `json:"old_str"`
	New  string `json:"new_str"`
}

// Command is what bash is called with.
type Command struct {
	Command string `json:"command"`
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func refusal(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
