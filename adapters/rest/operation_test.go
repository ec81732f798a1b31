package rest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
	"imprimatur/core/access"
)

// TestOperationNamesAction checks that an operation without an action cannot be registered.
func TestOperationNamesAction(t *testing.T) {
	t.Parallel()
	a := newSet(http.NewServeMux(), nil, nil, nil, nil, httpx.Limiters{})
	before := len(a.Routes())
	op := operation{method: http.MethodGet, path: "/api/open", id: "open", tag: "Session", title: "Open", about: "Open."}
	do := func(*call, none) (none, error) { return none{}, nil }
	assert.Panics(t, func() { handle(a, op, do) })
	assert.Len(t, a.Routes(), before)
	op.action = access.SignedIn
	assert.NotPanics(t, func() { handle(a, op, do) })
	assert.Len(t, a.Routes(), before+1)
}
