package httpx

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"imprimatur/core"
)

// ProblemType is the content type of every error that is not GraphQL's.
const ProblemType = "application/problem+json"

// Problem is an error on the wire, as RFC 9457 has it.
type Problem struct {
	Type      string  `json:"type" format:"uri-reference" doc:"Always about:blank: code says which problem it is." example:"about:blank"`
	Title     string  `json:"title" doc:"The words of the status." example:"Not Found"`
	Status    int     `json:"status" doc:"The HTTP status." example:"404"`
	Detail    string  `json:"detail" doc:"What is wrong, in one sentence." example:"no such project"`
	Instance  string  `json:"instance" format:"uri-reference" doc:"The path that was asked for." example:"/api/projects/7"`
	Code      string  `json:"code" doc:"A stable name of the problem, for programs." example:"not_found"`
	Errors    []Fault `json:"errors,omitempty" doc:"Every fault, by place."`
	RequestID string  `json:"requestId" doc:"What to quote when asking for help; also in the X-Request-Id header." example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
}

// Fault is one wrong thing at one place of the request.
type Fault struct {
	Message  string `json:"message" doc:"What is wrong there." example:"is required"`
	Location string `json:"location" doc:"A member of the body or a query parameter." example:"fields.title"`
	Value    any    `json:"value,omitempty" doc:"What was sent there, when it is short and no secret."`
}

// Extended is an error whose problem has one member more, as RFC 9457 allows. Name is
// none of Problem's own, and Value is what encoding/json can write.
type Extended struct {
	Err   error
	Name  string
	Value any
}

func (e *Extended) Error() string { return e.Err.Error() }

func (e *Extended) Unwrap() error { return e.Err }

// WriteProblem answers with err, through the one table. The cause of a fault of
// ours goes to the log line of the request and nowhere else.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	public := Public(err)
	if public.Err != nil {
		RecordFault(r.Context(), public.Err)
	}
	if public.RetryAfter > 0 {
		w.Header().Set("Retry-After", wholeSeconds(public.RetryAfter))
	} else if public.Kind == core.KindUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	var more *Extended
	errors.As(err, &more)
	writeProblem(w, r, Status(public.Kind), public, more)
}

// WriteMethodNotAllowed answers 405 with the methods that the path does take.
func WriteMethodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	w.Header().Set("Allow", allow)
	writeProblem(w, r, http.StatusMethodNotAllowed, &core.Error{
		Code: "method_not_allowed", Message: "this path takes " + allow,
	}, nil)
}

// WriteRangeNotSatisfiable answers 416: a Range that names nothing of the file, whose
// length stands in Content-Range.
func WriteRangeNotSatisfiable(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, r, http.StatusRequestedRangeNotSatisfiable, &core.Error{
		Code: "range_not_satisfiable", Message: "the file has no such range of bytes",
	}, nil)
}

// NewProblem returns e as it is written for r.
func NewProblem(r *http.Request, status int, e *core.Error) Problem {
	p := Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: e.Message,
		Instance: r.URL.EscapedPath(), Code: e.Code, RequestID: RequestID(r.Context()),
	}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, Fault{Message: f.Message, Location: f.Location, Value: f.Value})
	}
	return p
}

func writeProblem(w http.ResponseWriter, r *http.Request, status int, e *core.Error, more *Extended) {
	body, err := json.Marshal(NewProblem(r, status, e))
	if err != nil { // a Value that is no JSON: say all but the values
		body, _ = json.Marshal(NewProblem(r, status, &core.Error{Code: e.Code, Message: e.Message}))
	}
	body = more.extend(body)
	h := w.Header()
	h.Del("ETag")
	h.Set("Content-Type", ProblemType)
	h.Set("Cache-Control", "no-store")
	WriteBody(w, r, status, body)
}

// extend adds the member to a problem.
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

// wholeSeconds rounds up, so that who waits that long does not come too early.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
