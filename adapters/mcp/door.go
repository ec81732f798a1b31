package mcp

import (
	"bytes"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// Path is the path of the door.
const Path = "/mcp"

// maxBody is the longest body of a request in bytes.
const maxBody = 1 << 20

// Deps are the dependencies of the door.
type Deps struct {
	Gateway *httpx.Gateway
	// API is the REST API, without the middleware of the listener.
	API http.Handler
	// Schemas has the names of Projects and collections.
	Schemas ports.Schemas
	Version string // of the program
}

// Handler serves the door. It is safe for concurrent use.
type Handler struct {
	gateway *httpx.Gateway
	serve   http.Handler
}

// New returns a Handler.
func New(deps Deps) *Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "imprimatur", Title: "Imprimatur", Version: deps.Version}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	addTools(server, &api{handler: deps.API, gateway: deps.Gateway, schemas: deps.Schemas})
	stream := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody,
		// The service may be behind a proxy on the same machine. Gateway.AssistantOnly checks Origin.
		DisableLocalhostProtection: true,
	})
	return &Handler{gateway: deps.Gateway, serve: stream}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.gateway.AssistantOnly(w, r); err != nil {
		httpx.WriteProblem(w, r, err)
		return
	}
	if r.Method != http.MethodPost {
		httpx.WriteMethodNotAllowed(w, r, http.MethodPost)
		return
	}
	body, err := httpx.ReadBody(w, r, maxBody)
	if err != nil {
		httpx.WriteProblem(w, r, err)
		return
	}
	inner, done := httpx.Inside(r.Context())
	r = r.WithContext(inner)
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.serve.ServeHTTP(w, r)
	done()
}
