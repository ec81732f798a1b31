package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/wire"
	"imprimatur/core"
)

// projectClient sends requests about the definitions of a project to a service.
type projectClient struct {
	base, token string
	http        http.Client
}

// maxAnswer is the longest answer of a service in bytes.
const maxAnswer = 64 << 20

func newProjectClient(address, token, uuid string) (*projectClient, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return nil, errors.New("--url must be the address of a service, such as https://cms.example.org")
	case token == "":
		return nil, errors.New("--url needs --token")
	}
	c := &projectClient{base: strings.TrimSuffix(address, "/") + "/public/v2/projects/" + url.PathEscape(uuid), token: token}
	// A redirect could take the token elsewhere.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

func (c *projectClient) pull(ctx context.Context) (file wire.SchemaFile, err error) {
	err = c.do(ctx, http.MethodGet, "/schema", nil, &file)
	return file, err
}

func (c *projectClient) plan(ctx context.Context, in wire.SchemaPlanning) (plan wire.SchemaPlan, err error) {
	err = c.do(ctx, http.MethodPost, "/schema/plan", in, &plan)
	return plan, err
}

func (c *projectClient) apply(ctx context.Context, in wire.SchemaApplying) (plan wire.SchemaPlan, err error) {
	err = c.do(ctx, http.MethodPost, "/schema/apply", in, &plan)
	return plan, err
}

// do sends a request and decodes the answer. A problem becomes an error with its faults.
func (c *projectClient) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		content, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(content)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		if fault, ok := errors.AsType[*url.Error](err); ok {
			err = fault.Err // the rest is the address
		}
		return fmt.Errorf("--url: no answer from %s: %w", c.base, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(content, out); err != nil {
			return fmt.Errorf("%s does not answer as this program does: %w", c.base+path, err)
		}
		return nil
	}
	var problem httpx.Problem
	if json.Unmarshal(content, &problem) != nil || problem.Detail == "" {
		return fmt.Errorf("%s answered with status %d", c.base+path, response.StatusCode)
	}
	refusal := core.Conflict(problem.Code, "%s", problem.Detail)
	for _, fault := range problem.Errors {
		refusal.Fields = append(refusal.Fields, core.FieldError{Location: fault.Location, Message: fault.Message})
	}
	return refusal
}
