package graphql

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// maxBody is the largest length in bytes of a request body, and of a query string.
const maxBody = 1 << 20

// request is a decoded GraphQL request.
type request struct {
	query     string
	operation string // empty means the only one
	variables map[string]any
	hash      string // SHA-256 of a persisted query in hex, or empty
}

// receive returns the undecoded request: the JSON body of a POST, or the query string of
// a GET.
func receive(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isPost(r) {
		return []byte(r.URL.RawQuery), nil
	}
	// A body must have a Content-Type. This also blocks forms, which pages of other sites can send.
	if len(r.Header["Content-Type"]) != 1 {
		return nil, httpx.NotJSON()
	}
	if err := httpx.RequireJSON(r); err != nil {
		return nil, err
	}
	return httpx.ReadBody(w, r, maxBody)
}

// parseRequest decodes the result of receive.
func parseRequest(r *http.Request, text []byte) (*request, error) {
	if isPost(r) {
		return decodeRequest(text)
	}
	return readURL(string(text))
}

func isPost(r *http.Request) bool { return r.Method == http.MethodPost }

// decodeRequest decodes a JSON body.
func decodeRequest(body []byte) (*request, error) {
	value, err := decodeJSON(body)
	if err != nil {
		return nil, badRequest("body is not valid JSON: " + err.Error())
	}
	members, ok := value.(map[string]any)
	if _, list := value.([]any); list {
		return nil, badRequest("body must be one request: batches are not supported")
	}
	if !ok {
		return nil, badRequest("body must be a JSON object")
	}
	return newRequest(members)
}

// knownMembers are the members of a request; memberNames lists them for messages.
var knownMembers = []string{"query", "operationName", "variables", "extensions"}

const memberNames = "query, operationName, variables or extensions"

// unknownParams returns the names of other parameters, for a message.
func unknownParams(params url.Values) string {
	const shown = 10
	var unknown []string
	for name := range params {
		if !slices.Contains(knownMembers, name) {
			unknown = append(unknown, quote(name))
		}
	}
	slices.Sort(unknown)
	if len(unknown) > shown {
		unknown = append(unknown[:shown], "…")
	}
	return strings.Join(unknown, ", ")
}

// readURL decodes the parameters of a GET. variables and extensions are JSON texts.
func readURL(raw string) (*request, error) {
	if len(raw) > maxBody {
		return nil, &core.Error{Kind: core.KindTooLarge, Code: "query_too_large", Message: "URL is too long"}
	}
	params, err := url.ParseQuery(raw)
	if err != nil {
		return nil, badRequest("URL parameters are malformed")
	}
	if unknown := unknownParams(params); unknown != "" {
		return nil, badRequest("unknown parameter " + unknown + ": must be " + memberNames)
	}
	members := map[string]any{}
	for _, name := range knownMembers {
		values := params[name]
		switch {
		case len(values) > 1:
			return nil, badRequest("duplicate parameter " + name)
		case len(values) == 0 || values[0] == "" && name != "query":
			continue
		case name == "query" || name == "operationName":
			members[name] = values[0]
			if !utf8.ValidString(values[0]) {
				err = errNotUTF8
			}
		default:
			members[name], err = decodeJSON([]byte(values[0]))
		}
		if err != nil {
			return nil, badRequest(name + ": " + err.Error())
		}
	}
	return newRequest(members)
}

// newRequest returns the request with these members, or KindBadRequest.
func newRequest(members map[string]any) (*request, error) {
	req := &request{}
	var fault string
	for name, value := range members {
		var ok bool
		switch name {
		case "query":
			req.query, ok = value.(string)
			fault = "query must be a string"
		case "operationName":
			req.operation, ok = optional[string](value)
			fault = "operationName must be a string or null"
		case "variables":
			req.variables, ok = optional[map[string]any](value)
			fault = "variables must be an object or null"
		case "extensions":
			var extensions map[string]any
			extensions, ok = optional[map[string]any](value)
			fault = "extensions must be an object or null"
			if ok {
				req.hash, ok = persistedHash(extensions)
				fault = "extensions.persistedQuery must have version 1 and a SHA-256 in hex"
			}
		default:
			return nil, badRequest("unknown member " + quote(name) + ": must be " + memberNames)
		}
		if !ok {
			return nil, badRequest(fault)
		}
	}
	if req.query == "" && req.hash == "" {
		return nil, badRequest("query is missing")
	}
	return req, nil
}

// optional returns value as a T. null becomes the zero T.
func optional[T any](value any) (T, bool) {
	if value == nil {
		var zero T
		return zero, true
	}
	typed, ok := value.(T)
	return typed, ok
}

// quote quotes and shortens a name from the request for a message.
func quote(name string) string {
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "") + "…"
	}
	quoted, _ := json.Marshal(name)
	return string(quoted)
}

func badRequest(message string) *core.Error {
	return &core.Error{Kind: core.KindBadRequest, Code: "bad_request", Message: message}
}
