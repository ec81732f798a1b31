package rest

import (
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
)

// Every POST except signIn accepts an Idempotency-Key. A key belongs to a caller, and signIn has
// none.
func TestEveryPostAcceptsAKey(t *testing.T) {
	t.Parallel()
	posts := 0
	for path, item := range New(Deps{}).set.Document(emptyDocument()).Paths {
		if item.Post == nil || item.Post.OperationID == "signIn" {
			continue
		}
		posts++
		takes := slices.ContainsFunc(item.Post.Parameters, func(p *huma.Param) bool { return p.Name == "Idempotency-Key" })
		assert.True(t, takes, "POST %s", path)
	}
	assert.Greater(t, posts, 10)
}
