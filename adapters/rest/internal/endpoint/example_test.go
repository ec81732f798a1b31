package endpoint_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
)

type greetingInput struct {
	Name string `json:"name" example:"Ada"`
}

type greeting struct {
	Text string `json:"text" example:"Hello Ada"`
}

// A route is a description and a function. Bodies are decoded before the function is called.
func ExampleHandle() {
	mux := http.NewServeMux()
	set := endpoint.New(mux, nil, nil, endpoint.Idempotency{}, nil, httpx.NewLimiters(1, 1))
	endpoint.Handle(set, endpoint.Operation{
		Method: http.MethodPost, Path: "/api/greetings", ID: "greet", Tag: "Greetings", Action: endpoint.Anonymous,
		Title: "Greet", About: "Returns a greeting.",
	}, func(_ *endpoint.Call, in greetingInput) (greeting, error) {
		return greeting{"Hello " + in.Name}, nil
	})
	for _, body := range []string{`{"name":"Ada"}`, `{"name":null,"age":36}`} {
		r := httptest.NewRequest(http.MethodPost, "/api/greetings", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		var shown struct {
			Text   string
			Errors []httpx.Fault
		}
		if err := json.Unmarshal(w.Body.Bytes(), &shown); err != nil {
			panic(err)
		}
		fmt.Printf("%d %q\n", w.Code, shown.Text)
		for _, fault := range shown.Errors {
			fmt.Println(fault.Location, fault.Message)
		}
	}
	// Output:
	// 200 "Hello Ada"
	// 422 ""
	// age is not a known member
	// name must not be null
}
