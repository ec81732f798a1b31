package httpx

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// ProblemType is the content type of all errors except those of GraphQL.
const ProblemType = "application/problem+json"

// Problem is an error response as defined by RFC 9457.
type Problem struct {
	Type      string  `json:"type" format:"uri-reference" doc:"Always about:blank; code identifies the problem." example:"about:blank"`
	Title     string  `json:"title" doc:"The reason phrase of the status." example:"Not Found"`
	Status    int     `json:"status" doc:"The HTTP status." example:"404"`
	Detail    string  `json:"detail" doc:"What is wrong, in one sentence." example:"no such project"`
	Instance  string  `json:"instance" format:"uri-reference" doc:"The path of the request." example:"/api/projects/7"`
	Code      string  `json:"code" doc:"A stable, machine-readable name of the problem." example:"not_found"`
	Errors    []Fault `json:"errors,omitempty" doc:"All faults with their locations."`
	RequestID string  `json:"requestId" doc:"The id to quote in support requests; also in the X-Request-Id header." example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
	Trace     string  `json:"traceparent,omitempty" doc:"The trace of the request, if a trusted load balancer sent the header traceparent." example:"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`
}

// Fault is one error at one location of the request.
type Fault struct {
	Message  string `json:"message" doc:"What is wrong there." example:"is required"`
	Location string `json:"location" doc:"A member of the body or a query parameter." example:"fields.title"`
	Value    any    `json:"value,omitempty" doc:"The value that was sent, if it is short and not secret."`
}

// Extended is an error whose Problem has one additional member (RFC 9457, section 3.2).
// Name must not be a member of Problem, and encoding/json must be able to encode Value.
type Extended struct {
	Err   error
	Name  string
	Value any
}

func (e *Extended) Error() string { return e.Err.Error() }

func (e *Extended) Unwrap() error { return e.Err }

// WriteProblem writes the error response for err. The cause of an internal error goes
// only to the log line of the request.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	public := Report(r.Context(), err)
	SetRetryAfter(w.Header(), public)
	more, _ := errors.AsType[*Extended](err)
	writeProblem(w, r, Status(public.Kind), public, more)
}

// WriteMethodNotAllowed writes a 405 response. allow is the list of methods that the path
// supports.
func WriteMethodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	w.Header().Set("Allow", allow)
	writeProblem(w, r, http.StatusMethodNotAllowed, &core.Error{
		Code: "method_not_allowed", Message: "method must be one of " + allow,
	}, nil)
}

// WriteRangeNotSatisfiable writes a 416 response. The caller must have set Content-Range.
func WriteRangeNotSatisfiable(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, r, http.StatusRequestedRangeNotSatisfiable, &core.Error{
		Code: "range_not_satisfiable", Message: "range is outside the file",
	}, nil)
}

func writeProblem(w http.ResponseWriter, r *http.Request, status int, e *core.Error, more *Extended) {
	p := Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: e.Message,
		Instance: WithoutSecret(r.URL.EscapedPath()), Code: e.Code, RequestID: RequestID(r.Context()),
		Trace: ports.Trace(r.Context()),
	}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, Fault{Message: f.Message, Location: f.Location, Value: f.Value})
	}
	body, err := json.Marshal(p)
	if err != nil { // a Value cannot be encoded: leave out the faults
		p.Errors = nil
		body, _ = json.Marshal(p)
	}
	body = more.extend(body)
	h := w.Header()
	h.Del("ETag")
	h.Set("Content-Type", ProblemType)
	h.Set("Cache-Control", "no-store")
	WriteBody(w, r, status, body)
}

// extend adds the additional member to an encoded problem.
func (e *Extended) extend(problem []byte) []byte {
	if e == nil {
		return problem
	}
	member, err := json.Marshal(map[string]any{e.Name: e.Value})
	if err != nil {
		return problem
	}
	problem[len(problem)-1] = ','
	return append(problem, member[1:]...)
}

// SetRetryAfter sets the header Retry-After when a retry of the request can help.
func SetRetryAfter(header http.Header, err *core.Error) {
	if err.RetryAfter > 0 {
		header.Set("Retry-After", wholeSeconds(err.RetryAfter))
	} else if err.Kind == core.KindUnavailable {
		header.Set("Retry-After", "1")
	}
}

// wholeSeconds returns d in seconds, rounded up, so that a client does not retry too
// early.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

// outcomes maps each core.Kind to its HTTP status and GraphQL code.
var outcomes = [...]struct {
	status int
	code   string
}{
	core.KindInternal:           {http.StatusInternalServerError, "INTERNAL"},
	core.KindBadRequest:         {http.StatusBadRequest, "BAD_USER_INPUT"},
	core.KindInvalid:            {http.StatusUnprocessableEntity, "BAD_USER_INPUT"},
	core.KindUnauthenticated:    {http.StatusUnauthorized, "UNAUTHENTICATED"},
	core.KindForbidden:          {http.StatusForbidden, "FORBIDDEN"},
	core.KindNotFound:           {http.StatusNotFound, "NOT_FOUND"},
	core.KindGone:               {http.StatusGone, "GONE"},
	core.KindConflict:           {http.StatusConflict, "CONFLICT"},
	core.KindPreconditionFailed: {http.StatusPreconditionFailed, "PRECONDITION_FAILED"},
	core.KindTooLarge:           {http.StatusRequestEntityTooLarge, "TOO_LARGE"},
	core.KindUnsupportedMedia:   {http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	core.KindTooManyRequests:    {http.StatusTooManyRequests, "RATE_LIMITED"},
	core.KindUnavailable:        {http.StatusServiceUnavailable, "UNAVAILABLE"},
	core.KindStorageFull:        {http.StatusInsufficientStorage, "STORAGE_FULL"},
}

// Status returns the HTTP status for kind.
func Status(kind core.Kind) int { return outcomes[kind].status }

// Code returns the GraphQL extensions.code for kind.
func Code(kind core.Kind) string { return outcomes[kind].code }

// Public returns the error that the client receives for err. A *core.Error is returned
// unchanged, a timeout or cancellation becomes KindUnavailable, and every other error
// becomes a KindInternal without details.
func Public(err error) *core.Error {
	e, known := errors.AsType[*core.Error](err)
	switch {
	case known && e.Kind != core.KindInternal:
		return e
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &core.Error{Kind: core.KindUnavailable, Code: "timeout", Message: "request timed out, retry later", Err: err}
	default:
		return &core.Error{Kind: core.KindInternal, Code: "internal", Message: "internal server error", Err: err}
	}
}

// Report returns Public(err), and adds its cause to the log line of the request.
func Report(ctx context.Context, err error) *core.Error {
	public := Public(err)
	if public.Err != nil {
		RecordFault(ctx, public.Err)
	}
	return public
}
