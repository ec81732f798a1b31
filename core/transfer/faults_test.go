package transfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
)

// A refused line has all its faults, each once, at its place on the line.
func TestAllFaultsOfALine(t *testing.T) {
	t.Parallel()
	d := setup(t)
	_, err := d.collections.Components().Create(t.Context(), d.actor, d.project, definition.CollectionInput{Slug: "nodes", Name: "Node", Fields: []definition.FieldInput{
		{Name: "t", Type: core.TypeNumber},
		{Name: "body", Type: core.TypeRichText},
	}})
	require.NoError(t, err)
	c := d.collection(t, "trees",
		definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "name", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "area", Type: core.TypeNumber},
		definition.FieldInput{Name: "others", Type: core.TypeRelation, Collection: "trees", Multiple: true, Required: true},
		definition.FieldInput{Name: "nodes", Type: core.TypeBlocks, Components: []string{"nodes"}},
	)
	const (
		node   = `{"_type":"nodes","t":"x","body":"<a data-entry=\"8\">y</a>"}`
		target = `"links":{"entries":{"8":{"collection":"trees","key":"root"}}}`
		noKey  = "no entry of trees has this key"
	)
	report := d.load(t, c, lines(
		`{"key":"root","fields":{"name":"Root"},"relations":{"others":["root"]}}`,
		`{"key":"a","fields":{"name":"A","nodes":[`+node+`]},"relations":{"others":["root"]},`+target+`}`,
		`{"key":"b","fields":{"area":"big","nodes":[{"_type":"nodes"},{"_type":"nodes","t":"x"}]},"relations":{"others":[null,"root",{"Group":"g"},"none"]}}`,
		`{"key":"c","fields":{"area":"big"},"relations":{"others":{"key":"root"}},"translations":{"de":{"code":"c2","area":"gross"},"pt-BR":{"code":"c3"},"xx":{"code":"root"}}}`,
		`{"key":"d","createdAt":"soon","fields":{"code":"d"},"published":true,"publishedVersion":{"fields":{"area":"big"},"relations":{"others":["none"]}},"relations":{"others":["root"]}}`,
		`{"key":7,"fields":{"area":"big"},"translations":{"de":{"area":"gross"}}}`,
		`{"key":"root","fields":{"name":7},"relations":{"others":["root"]}}`,
	), transfer.ImportOptions{})
	require.Equal(t, int64(1), report.Created)
	require.Equal(t, map[int64]map[string]string{
		2: {"fields.nodes[0].t": "must be a number"},
		3: {
			"fields.area": "must be a number", "fields.name": "is required", "fields.nodes[1].t": "must be a number",
			"relations.others[0]": "must not be null", "relations.others[2].Group": "no such member",
			"relations.others[2]": `must be a key or {"group": …, "key": …}`, "relations.others[3]": noKey,
		},
		4: {
			"fields.area": "must be a number", "fields.name": "is required", "relations.others": "must be a list",
			"translations.de.area": "must be a number", "translations.xx": "must be a locale of the project",
		},
		5: {
			"createdAt": `must be a time such as "2020-01-31T09:00:00Z"`, "fields.name": "is required", "publishedVersion.fields.area": "must be a number",
			"publishedVersion.fields.name": "is required", "publishedVersion.relations.others[0]": noKey,
		},
		6: {"key": "must be a string", "fields.area": "must be a number", "translations.de.area": "must be a number"},
		7: {"key": "line 1 has the same key in locale en and would be overwritten", "fields.name": "must be a string"},
	}, faultsByLine(report))
	for _, f := range report.Failed {
		require.Len(t, f.Err.Fields, len(locations(f.Err)), "line %d has a fault twice: %v", f.Line, f.Err.Fields)
	}
}
