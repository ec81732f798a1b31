package wire

import (
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
)

// TestDescribe checks that a description cannot outlive its member.
func TestDescribe(t *testing.T) {
	t.Parallel()
	schema := func() *huma.Schema {
		return &huma.Schema{Properties: map[string]*huma.Schema{"name": {}, "colour": {Description: "A name of CSS."}}}
	}
	described := describe(schema(), members{"name": "Where it stands."}).Properties
	assert.Equal(t, "Where it stands.", described["name"].Description)
	assert.Equal(t, "A name of CSS.", described["colour"].Description)
	for _, name := range []string{"size", "colour"} {
		assert.PanicsWithValue(t, "wire: no undescribed member "+name, func() { describe(schema(), members{name: "In millimetres."}) })
	}
}
