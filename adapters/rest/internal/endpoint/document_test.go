package endpoint

import (
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
)

type lamp struct {
	Name   string `json:"name"`
	Colour string `json:"colour" doc:"A name of CSS."`
}

// TestDescribeRefusesUnknownMembers checks that a description cannot outlive its member.
func TestDescribeRefusesUnknownMembers(t *testing.T) {
	t.Parallel()
	document := func(describe func(s *Set)) *huma.OpenAPI {
		s := New(http.NewServeMux(), nil, nil, Idempotency{}, nil, httpx.Limiters{})
		op := Operation{Method: http.MethodGet, Path: "/api/lamp", ID: "getLamp", Tag: "Lamps", Title: "Read the lamp", About: "Returns the lamp.", Action: Anonymous}
		Handle(s, op, func(*Call, None) (lamp, error) { return lamp{}, nil })
		describe(s)
		return s.Document(&huma.OpenAPI{Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", SchemaName(nil))}})
	}
	members := document(func(s *Set) { Describe[lamp](s, Members{"name": "Where it stands."}) }).Components.Schemas.Map()["Lamp"].Properties
	assert.Equal(t, "Where it stands.", members["name"].Description)
	assert.Equal(t, "A name of CSS.", members["colour"].Description)
	for fault, describe := range map[string]func(s *Set){
		"endpoint: endpoint.lamp has no undescribed member size":   func(s *Set) { Describe[lamp](s, Members{"size": "In millimetres."}) },
		"endpoint: endpoint.lamp has no undescribed member colour": func(s *Set) { Describe[lamp](s, Members{"colour": "A name."}) },
		"endpoint: the document has no schema of endpoint.Call":    func(s *Set) { Describe[Call](s, Members{"Status": "Of success."}) },
		"endpoint: the document has no schema of string":           func(s *Set) { Describe[string](s, Members{"a": "b"}) },
	} {
		assert.PanicsWithValue(t, fault, func() { document(describe) })
	}
}
