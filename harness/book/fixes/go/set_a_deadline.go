package fixes

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// fetched stands for whatever asks a store.
func fetched(ctx context.Context, path string) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}
