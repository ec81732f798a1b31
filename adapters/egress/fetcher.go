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
	client    *Client
	redirects int
}

var _ ports.Fetcher = (*Fetcher)(nil)

// NewFetcher returns a Fetcher. It follows no redirects.
func NewFetcher(client *Client) *Fetcher { return &Fetcher{client: client} }

// Following returns a Fetcher that follows up to that many redirects. It checks each address like the first one.
func (f *Fetcher) Following(redirects int) *Fetcher {
	return &Fetcher{client: f.client, redirects: redirects}
}

// Fetch implements ports.Fetcher.
func (f *Fetcher) Fetch(ctx context.Context, address string) (fileName string, file io.ReadCloser, err error) {
	for left := f.redirects; ; left-- {
		response, err := f.request(ctx, address)
		switch {
		case err != nil:
			return "", nil, err
		case response.StatusCode == http.StatusOK:
			return nameOf(response), body{response.Body, ctx, address}, nil
		}
		_ = response.Body.Close()
		next, err := response.Location()
		switch {
		case err != nil || response.StatusCode/100 != 3:
			return "", nil, badURL(address, fmt.Sprintf("cannot be loaded: its server answers with status %d", response.StatusCode))
		case f.redirects == 0:
			return "", nil, badURL(address, "redirects to another address: give that one")
		case left == 0:
			return "", nil, badURL(address, fmt.Sprintf("redirects more than %d times", f.redirects))
		}
		address = next.String()
	}
}

// request sends one request.
func (f *Fetcher) request(ctx context.Context, address string) (*http.Response, error) {
	u, err := f.client.Check(address)
	if err != nil {
		return nil, badURL(address, f.faultOf(err))
	}
	request := (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{"User-Agent": {"Imprimatur"}, "Accept": {"*/*"}}}).WithContext(ctx)
	response, err := f.client.Do(request)
	switch {
	case errors.Is(err, ErrNotPublic):
		return nil, badURL(address, f.faultOf(ErrNotPublic))
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, badURL(address, "cannot be loaded: its server does not answer")
	}
	return response, nil
}

func (f *Fetcher) faultOf(err error) string {
	if errors.Is(err, ErrNotPublic) && f.client.insecure != nil {
		err = ErrNotPublicPlain
	}
	return err.Error()
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
