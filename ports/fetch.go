package ports

import (
	"context"
	"io"
)

// Fetcher reads files from other servers, whose addresses users give. It must not reach what is not
// public, unless the operator allows it.
type Fetcher interface {
	// Fetch requests the file at an address, and returns the name that the server suggests and the
	// bytes, which the caller closes. ctx limits the time until the last byte; the size is not
	// limited. An address that is not public, a server that does not answer or stops in the middle,
	// and a response other than 200 are core.ErrInvalid with the location url.
	Fetch(ctx context.Context, address string) (fileName string, file io.ReadCloser, err error)
}
