package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

var update = flag.Bool("update", false, "rewrite the responses in adapters/rest/examples.json that the program no longer gives")

const examplesFile = "../../adapters/rest/examples.json"

// TestExamples sends every example of the OpenAPI document to the program: the bodies, and each
// parameter. All must be accepted. The responses must match their schemas, and the examples of
// responses must have exactly the members that the responses have. It walks the document, so that an
// operation without a working example fails.
func TestExamples(t *testing.T) {
	t.Parallel()
	h := newExampleHouse(t)
	t.Run("operations", func(t *testing.T) {
		for path, item := range h.document.Paths.Map() {
			for method, op := range item.Operations() {
				o := documented{method, path, op}
				t.Run(op.OperationID, func(t *testing.T) {
					t.Parallel()
					if o.OperationID == "listenToChanges" {
						h.hear(t, o)
						return
					}
					h.sendBody(t, o)
					h.sendParameters(t, o)
				})
			}
		}
		for name, outcome := range otherOutcomes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h.otherOutcome(t, name, outcome)
			})
		}
	})
	h.wantAllCompared(t)
	if *update {
		h.record(t)
	}
}

// documented is an operation of the document.
type documented struct {
	method, path string
	*openapi3.Operation
}

// compared has the examples of responses by name and status that were compared, and what the
// program answered where it differs.
type compared struct {
	mu       sync.Mutex
	names    map[string]bool
	outdated map[string]map[string]any // by name and status
}

// sendBody sends the example of the request body, or an empty body. The response is one that the
// document describes.
func (h *exampleHouse) sendBody(t *testing.T, o documented) {
	t.Helper()
	s := h.prepare(t, o)
	a := s.send(o, nil)
	if a.status < 200 || a.status > 299 {
		t.Fatalf("%s %s answered %d: %s", o.method, o.path, a.status, a.body)
	}
	response := o.Responses.Value(strconv.Itoa(a.status))
	if response == nil {
		t.Fatalf("%d is not documented", a.status)
	}
	h.compare(t, o.OperationID, a, response.Value)
}

// compare compares a response with the document.
func (h *exampleHouse) compare(t *testing.T, name string, a response, described *openapi3.Response) {
	t.Helper()
	for kind, media := range described.Content {
		var body any
		if err := json.Unmarshal(a.body, &body); err != nil {
			t.Fatalf("%v in %s", err, a.body)
		}
		if err := h.valid(media.Schema, body); err != nil {
			t.Errorf("the response does not match its schema: %v\n%s", err, a.body)
		}
		if media.Example == nil {
			t.Errorf("%d has no example of %s", a.status, kind)
		}
		differences := differ("", shapeOf(media.Example), shapeOf(body))
		if name == "getProjectDocument" { // too long for an example
			differences = nil
		}
		if err := h.valid(media.Schema, media.Example); err != nil {
			differences = append(differences, "does not match its schema: "+err.Error())
		}
		h.compared.mu.Lock()
		h.compared.names[name+" "+strconv.Itoa(a.status)] = true
		if len(differences) > 0 {
			if h.compared.outdated[name] == nil {
				h.compared.outdated[name] = map[string]any{}
			}
			h.compared.outdated[name][strconv.Itoa(a.status)] = timeless(t, a.body)
		}
		h.compared.mu.Unlock()
		if !*update {
			for _, difference := range differences {
				t.Errorf("the example of %d %s (go test ./test/e2e -run TestExamples -update)", a.status, difference)
			}
		}
	}
}

func (h *exampleHouse) valid(schema *openapi3.SchemaRef, value any) error {
	return h.document.ValidateSchemaJSON(schema.Value, value, openapi3.EnableFormatValidation())
}

// wantAllCompared requires that each example of a response was compared.
func (h *exampleHouse) wantAllCompared(t *testing.T) {
	t.Helper()
	for _, item := range h.document.Paths.Map() {
		for _, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				if name := op.OperationID + " " + status; response.Ref == "" && len(response.Value.Content) > 0 && !h.compared.names[name] {
					t.Errorf("no response was compared with the example of %s", name)
				}
			}
		}
	}
	for name, response := range h.document.Components.Responses {
		for _, media := range response.Value.Content {
			if err := h.valid(media.Schema, media.Example); err != nil {
				t.Errorf("the example of %s does not match its schema: %v", name, err)
			}
			problem, _ := media.Example.(map[string]any)
			status := fmt.Sprint(problem["status"])
			if !h.compared.names[name+" "+status] && !isCommonProblem(problem) {
				t.Errorf("no response was compared with the example of %s", name)
			}
		}
	}
}

// isCommonProblem reports whether an example has the members that every problem has, and at most
// errors besides. TestHostile and others compare problems with them.
func isCommonProblem(example map[string]any) bool {
	for _, name := range []string{"type", "title", "status", "detail", "instance", "code", "requestId"} {
		if _, ok := example[name]; !ok {
			return false
		}
	}
	_, faults := example["errors"]
	return len(example) == 7 || faults && len(example) == 8
}

// sendParameters sends the example of each parameter that the request of sendBody does not have.
func (h *exampleHouse) sendParameters(t *testing.T, o documented) {
	t.Helper()
	var s *scene
	for _, ref := range o.Parameters {
		p := ref.Value
		if p.In == "path" || p.Required || p.Name == "Idempotency-Key" {
			continue
		}
		for _, query := range parameterExamples(t, p) {
			if s == nil || o.method != "GET" {
				s = h.prepare(t, o)
			}
			a := s.send(o, func(q url.Values, header *[]string) {
				if p.In == "header" {
					*header = append(*header, p.Name+": "+query.Get(p.Name))
					return
				}
				for name, values := range query {
					q[name] = values
				}
				s.realise(o, p.Name, q)
			})
			want := accepted(o, p)
			if !slices.Contains(want, a.status) {
				t.Errorf("%s=%v answered %d, want %v: %s", p.Name, query, a.status, want, a.body)
			}
		}
	}
}

// accepted returns the statuses that the example of a parameter may get.
func accepted(o documented, p *openapi3.Parameter) []int {
	switch p.Name {
	case "If-Match": // the version of the example is that of no entry
		return []int{200, 204, 412}
	case "asOf": // nothing was public then
		return []int{404}
	}
	return []int{200, 201, 202, 204}
}

// parameterExamples returns the examples of a parameter as queries.
func parameterExamples(t *testing.T, p *openapi3.Parameter) (queries []url.Values) {
	t.Helper()
	if p.Example != nil {
		return []url.Values{{p.Name: {fmt.Sprint(p.Example)}}}
	}
	if len(p.Examples) == 0 {
		t.Errorf("the parameter %s has no example", p.Name)
	}
	for name, example := range p.Examples {
		query := url.Values{}
		flatten(query, p.Name, example.Value.Value)
		written, err := url.ParseQuery(example.Value.Summary)
		if err != nil || written.Encode() != query.Encode() {
			t.Errorf("the summary of the example %s of %s is %s, not %s", name, p.Name, written.Encode(), query.Encode())
		}
		queries = append(queries, query)
	}
	return queries
}

// flatten adds value to query as deepObject does.
func flatten(query url.Values, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			flatten(query, name+"["+key+"]", inner)
		}
	case []any:
		for _, inner := range v {
			query.Add(name+"[]", fmt.Sprint(inner))
		}
	default:
		query.Add(name, fmt.Sprint(v))
	}
}

// shape is the members of a JSON value: of an object by name, of an array those of all its items.
type shape map[string]shape

func shapeOf(value any) shape {
	switch v := value.(type) {
	case map[string]any:
		s := shape{}
		for name, inner := range v {
			if _, err := strconv.Atoi(name); err == nil {
				name = "0" // ids as names
			}
			s[name] = merged(s[name], shapeOf(inner))
		}
		return s
	case []any:
		s := shape{}
		for _, inner := range v {
			if found := shapeOf(inner); found != nil {
				s["[]"] = merged(s["[]"], found)
			}
		}
		return s
	}
	return nil
}

func merged(a, b shape) shape {
	if a == nil {
		return b
	}
	for name, inner := range b {
		a[name] = merged(a[name], inner)
	}
	return a
}

// differ returns how the members of an example differ from those of a response. nil is a single value
// or null, which any value may be elsewhere.
func differ(path string, example, response shape) (differences []string) {
	if example == nil || response == nil {
		return nil
	}
	for name := range example {
		if inner, ok := response[name]; !ok {
			differences = append(differences, "shows "+path+"."+name+", which the response does not have")
		} else {
			differences = append(differences, differ(path+"."+name, example[name], inner)...)
		}
	}
	for name := range response {
		if _, ok := example[name]; !ok {
			differences = append(differences, "lacks "+path+"."+name)
		}
	}
	slices.Sort(differences)
	return differences
}

// varying has the parts of responses that differ from run to run, and what the examples have.
var varying = []struct {
	form *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\+\d+@`), "@"},
	{regexp.MustCompile(`"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`), `"2026-01-02T15:04:05.000Z"`},
	{regexp.MustCompile(`"20\d\d-\d\d-\d\d"`), `"2026-01-02"`},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"},
	{regexp.MustCompile(`\b[A-Z2-7]{26}\b`), "BZQ3K5T7N2MXW4RVJ6PCYD1HGE"},
	{regexp.MustCompile(`\b[A-Z2-7]{32}\b`), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"},
	{regexp.MustCompile(`imp_[0-9A-Za-z]{43}_[0-9A-Za-z]+`), "imp_0000000000000000000000000000000000000000000_000000"},
	{regexp.MustCompile(`whsec_[^"]+`), "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "build.example.org"},
	{regexp.MustCompile(`\b[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}\b`), "mfrg-gzdf-mztw-q2lk"},
}

// timeless returns a body as an example, without secrets and times of the run.
func timeless(t *testing.T, body []byte) (value any) {
	t.Helper()
	for _, part := range varying {
		body = part.form.ReplaceAll(body, []byte(part.text))
	}
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatal(err)
	}
	if page, ok := value.(map[string]any); ok {
		if list, ok := page["data"].([]any); ok {
			page["data"] = shortened(list)
		}
	}
	return value
}

// shortened returns the first items of a list that together have all members.
func shortened(list []any) []any {
	whole := fmt.Sprint(shapeOf(list))
	for n := range list {
		if fmt.Sprint(shapeOf(list[:n])) == whole {
			return list[:n]
		}
	}
	return list
}

// record writes the responses that have become different.
func (h *exampleHouse) record(t *testing.T) {
	t.Helper()
	content, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]map[string]any{}
	if err := json.Unmarshal(content, &examples); err != nil {
		t.Fatal(err)
	}
	for name, byStatus := range h.compared.outdated {
		if examples[name] == nil {
			examples[name] = map[string]any{}
		}
		responses, _ := examples[name]["responses"].(map[string]any)
		if responses == nil {
			responses = map[string]any{}
			examples[name]["responses"] = responses
		}
		for status, body := range byStatus {
			responses[status] = body
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "\t")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(examples); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(examplesFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(t.Context(), "gzip", "-9nkf", examplesFile).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if len(h.compared.outdated) > 0 {
		t.Errorf("rewrote examples of %d operations; go run ./app openapi writes the document", len(h.compared.outdated))
	}
}

// example returns a copy of the example of a request of an operation, with other values of some
// members. nil leaves a member out.
func (h *exampleHouse) example(id string, changes map[string]any) map[string]any {
	body := map[string]any{}
	for _, item := range h.document.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID == id && op.RequestBody != nil {
				for _, media := range op.RequestBody.Value.Content {
					raw, _ := json.Marshal(media.Example) // it came as JSON
					_ = json.Unmarshal(raw, &body)
				}
			}
		}
	}
	for name, value := range changes {
		if body[name] = value; value == nil {
			delete(body, name)
		}
	}
	return body
}

// placeholders are the names in the braces of a path.
var placeholders = regexp.MustCompile(`\{(\w+)\}`)

func (s *scene) fill(path string) string {
	return placeholders.ReplaceAllStringFunc(path, func(name string) string { return s.id(strings.Trim(name, "{}")) })
}
