package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"

	"imprimatur/core"
	"imprimatur/ports"
)

// Fetcher implements ports.Fetcher with a Client.
type Fetcher struct {
	client *Client
}

var _ ports.Fetcher = (*Fetcher)(nil)

// NewFetcher returns a Fetcher.
func NewFetcher(client *Client) *Fetcher { return &Fetcher{client} }

// Fetch implements ports.Fetcher.
func (f *Fetcher) Fetch(ctx context.Context, address string) (fileName string, file io.ReadCloser, err error) {
	u, err := f.client.Check(address)
	if err != nil {
		return "", nil, badURL(address, err.Error())
	}
	request := (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{"User-Agent": {"Imprimatur"}, "Accept": {"*/*"}}}).WithContext(ctx)
	response, err := f.client.Do(request)
	switch {
	case errors.Is(err, ErrNotPublic):
		return "", nil, badURL(address, ErrNotPublic.Error())
	case err != nil && ctx.Err() != nil:
		return "", nil, ctx.Err()
	case err != nil:
		return "", nil, badURL(address, "cannot be loaded: its server does not answer")
	case response.StatusCode == http.StatusOK:
		return nameOf(response), body{response.Body, ctx, address}, nil
	}
	_ = response.Body.Close()
	if location := response.Header.Get("Location"); location != "" && response.StatusCode/100 == 3 {
		return "", nil, badURL(address, "redirects to another address: give that one")
	}
	return "", nil, badURL(address, fmt.Sprintf("cannot be loaded: its server answers with status %d", response.StatusCode))
}

func badURL(address, fault string) error {
	return core.Invalid(core.FieldError{Location: "url", Message: fault, Value: core.Clip(address)})
}

// nameOf returns the name of the file of a response: that of its header, or the last part of its
// path.
func nameOf(response *http.Response) string {
	_, params, err := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
	if name := params["filename"]; err == nil && name != "" {
		return name
	}
	if name := path.Base(response.Request.URL.Path); name != "/" && name != "." {
		return name
	}
	return "file"
}

// body is the body of a response. An interrupted body is a fault of the address.
type body struct {
	io.ReadCloser

	ctx     context.Context
	address string
}

// Read implements io.Reader.
func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() == nil {
		err = badURL(b.address, "cannot be loaded: its server stops in the middle")
	}
	return n, err
}
