package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/ports"
)

// api makes requests to the REST API for calls of tools.
type api struct {
	handler http.Handler
	gateway *httpx.Gateway
	schemas ports.Schemas
}

// call is one call of a tool.
type call struct {
	*api
	ctx    context.Context
	header http.Header // of the HTTP request of the call
	actor  core.Actor
}

// begin returns the call of a request with that header.
func (a *api) begin(ctx context.Context, header http.Header) (*call, error) {
	actor, err := a.gateway.Acting(ctx, header)
	return &call{a, ctx, header, actor}, err
}

// fault is an error of the API for an assistant.
type fault struct {
	Status  int             `json:"status"`
	Code    string          `json:"code"`
	Detail  string          `json:"detail"`
	Errors  []httpx.Fault   `json:"errors,omitempty"`
	Current json.RawMessage `json:"current,omitempty"` // the entry as it is now
	Release int64           `json:"release,omitempty"` // that stays open
	// RetryAfter is a number of seconds.
	RetryAfter int `json:"retryAfter,omitempty"`
}

// maxFaults is how many errors a fault has at most.
const maxFaults = 50

// Error returns the JSON of the fault, which is the text of the tool's error.
func (f *fault) Error() string {
	shown := *f
	if len(shown.Errors) > maxFaults {
		shown.Detail += "; " + strconv.Itoa(len(f.Errors)) + " errors, of which these are the first " + strconv.Itoa(maxFaults)
		shown.Errors = shown.Errors[:maxFaults]
	}
	if len(shown.Current) > maxAnswer/2 {
		shown.Current = nil
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return f.Detail
	}
	return string(text)
}

// faultOf returns err as a fault.
func faultOf(ctx context.Context, err error) *fault {
	public := httpx.Report(ctx, err)
	return &fault{Status: httpx.Status(public.Kind), Code: public.Code, Detail: public.Message}
}

func badArgument(location, message string) *fault {
	return &fault{Status: http.StatusBadRequest, Code: "bad_request", Detail: location + " " + message, Errors: []httpx.Fault{{Location: location, Message: message}}}
}

// answer is the response of the API.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// recorder keeps a response.
type recorder struct {
	answer
	header http.Header
	buffer bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = cmp.Or(r.status, status) }

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.buffer.Write(b)
}

// request is a request to the API.
type request struct {
	method string
	path   string
	query  url.Values
	match  string // If-Match
	body   any    // nil: none
}

// do makes a request with the credential of the call. A problem is a *fault.
func (c *call) do(q request) (*answer, error) {
	target := q.path
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	var body []byte
	if q.body != nil {
		var err error
		if body, err = json.Marshal(q.body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(c.ctx, q.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.RequestURI = target
	r.Header.Set("Authorization", c.header.Get("Authorization"))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.match != "" {
		r.Header.Set("If-Match", q.match)
	}
	w := &recorder{header: http.Header{}}
	c.handler.ServeHTTP(w, r)
	w.answer.header, w.answer.body = w.header, w.buffer.Bytes()
	switch {
	case w.status < http.StatusMultipleChoices:
		return &w.answer, nil
	case w.status < http.StatusBadRequest: // a redirection to another spelling of the path
		return nil, &fault{Status: http.StatusNotFound, Code: "not_found", Detail: "no such collection"}
	}
	f := &fault{Status: w.status}
	if err := json.Unmarshal(w.answer.body, f); err != nil || f.Code == "" {
		return nil, &fault{Status: w.status, Code: "internal", Detail: http.StatusText(w.status)}
	}
	f.RetryAfter, _ = strconv.Atoi(w.header.Get("Retry-After"))
	return nil, f
}

// read makes a GET request and decodes the response into v.
func (c *call) read(path string, query url.Values, v any) error {
	got, err := c.do(request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return err
	}
	return json.Unmarshal(got.body, v)
}

// project returns the Project with an id among those of the assistant; 0: its only one.
func (c *call) project(id int64) (*core.Project, error) {
	own := c.actor.Assistant.ProjectIDs
	if id == 0 {
		if len(own) != 1 {
			return nil, badArgument("project", "is required: list_collections has the ids of the projects")
		}
		id = own[0]
	}
	if !slices.Contains(own, id) {
		return nil, &fault{Status: http.StatusNotFound, Code: "not_found", Detail: "no such project"}
	}
	p, err := c.schemas.Project(c.ctx, id)
	if err != nil {
		return nil, faultOf(c.ctx, err)
	}
	return p, nil
}

// collection returns a collection of a Project.
func (c *call) collection(p *core.Project, slug string) (*core.Collection, error) {
	all, err := c.schemas.Collections(c.ctx, p.ID)
	if err != nil {
		return nil, faultOf(c.ctx, err)
	}
	found := (core.Schema{Collections: all}).BySlug(slug)
	if found == nil {
		return nil, &fault{Status: http.StatusNotFound, Code: "not_found", Detail: "no such collection"}
	}
	return found, nil
}

// place is where an entry is.
type place struct {
	Project    int64  `json:"project,omitempty" jsonschema:"id of the project; may be left out if there is only one"`
	Collection string `json:"collection" jsonschema:"slug of the collection"`
}

// public returns the path of the Project in the content API.
func public(p *core.Project, parts ...string) string {
	path := "/public/v2/projects/" + p.UUID
	for _, part := range parts {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// managed returns the path of the Project in the API of the dashboard.
func managed(p *core.Project, parts ...string) string {
	return "/api/projects/" + strconv.FormatInt(p.ID, 10) + "/" + strings.Join(parts, "/")
}

// content returns the path of the entries of a collection in the API of the dashboard, or that of one entry.
func (c *call) content(at place, id ...int64) (string, error) {
	p, err := c.project(at.Project)
	if err != nil {
		return "", err
	}
	collection, err := c.collection(p, at.Collection)
	if err != nil {
		return "", err
	}
	path := managed(p, "collections", strconv.FormatInt(collection.ID, 10), "content")
	for _, n := range id {
		path += "/" + strconv.FormatInt(n, 10)
	}
	return path, nil
}
