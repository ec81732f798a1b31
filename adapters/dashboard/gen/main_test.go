package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// TestOffered checks that a menu offers every operator that applies, except those that a list of
// values makes useless: a new operator or type needs a place in an order.
func TestOffered(t *testing.T) {
	t.Parallel()
	for _, name := range fieldtype.Names(nil) {
		for _, operator := range query.Operators {
			missing := operator.Applies(&core.Field{Type: name}) && !slices.Contains(offered(name), operator.Op)
			_, listed := controlOrder[fieldtype.Of(name).Control]
			assert.False(t, missing && !listed, "%s of %s", operator.Op, name)
		}
	}
	assert.NotContains(t, offered("longtext"), query.OpEqual)
	assert.Equal(t, []query.Op{query.OpNotNull, query.OpNull}, offered("json"))
}

func TestSource(t *testing.T) {
	t.Parallel()
	file := string(operatorSource())
	assert.Contains(t, file, "\n  eq: [1, 1],\n  like: [1, 1],\n")
	assert.Contains(t, file, "\n  boolean: ['eq', 'not', 'null', 'not_null'],\n")
	assert.Equal(t, len(query.Operators), strings.Count(file, "],\n")-len(fieldtype.Names(nil)))
}

func TestEventSource(t *testing.T) {
	t.Parallel()
	all, inProjects, found := strings.Cut(string(eventSource()), "projectEventTypes")
	assert.True(t, found)
	assert.Contains(t, all, "['entry.created', 'entry.updated', ")
	assert.Contains(t, all, "'tenant.created'")
	assert.Contains(t, inProjects, "'media.updated'")
	assert.NotContains(t, inProjects, "'tenant.created'")
}
