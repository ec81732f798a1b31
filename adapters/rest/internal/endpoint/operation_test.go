package endpoint

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
	"imprimatur/core/access"
)

// An operation without an action cannot be registered.
func TestRegisterRequiresAction(t *testing.T) {
	t.Parallel()
	a := New(http.NewServeMux(), nil, nil, Idempotency{}, nil, httpx.Limiters{})
	before := len(a.Routes())
	op := Operation{Method: http.MethodGet, Path: "/api/open", ID: "open", Tag: "Session", Title: "Open", About: "Open."}
	do := func(*Call, None) (None, error) { return None{}, nil }
	assert.Panics(t, func() { Handle(a, op, do) })
	assert.Len(t, a.Routes(), before)
	op.Action = access.SignedIn
	assert.NotPanics(t, func() { Handle(a, op, do) })
	assert.Len(t, a.Routes(), before+1)
}
