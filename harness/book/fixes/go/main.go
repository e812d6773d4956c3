// One server for each fix: `go build -o NAME main.go fixes.go NAME.go`, then `NAME faulty|fixed ROOT`.
package main

import (
	"context"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	register(server, os.Args[1] == "fixed", os.Args[2])
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

// choose adds the handler with the fault, or the one without.
func choose[In any](server *mcp.Server, isFixed bool, tool *mcp.Tool, faulty, fixed mcp.ToolHandlerFor[In, any]) {
	if isFixed {
		mcp.AddTool(server, tool, fixed)
	} else {
		mcp.AddTool(server, tool, faulty)
	}
}

var (
	readTool    = &mcp.Tool{Name: "read_file", Description: "Reads a note", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	replaceTool = &mcp.Tool{Name: "str_replace", Description: "Replaces a text in a file"}
	shellTool   = &mcp.Tool{Name: "bash", Description: "Runs a shell command"}
)
