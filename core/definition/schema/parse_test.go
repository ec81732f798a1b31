package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition/schema"
)

// one is a file with one field, with these lines among its options.
func one(lines string) string {
	return "format: 1\ncollections:\n  - key: news\n    name: News\n    fields:\n      - name: title\n        type: text\n" + lines
}

// Every text in a file that is not one of definitions is refused, with the place and the line.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, location, message string }{
		"empty":           {"", "schema", "must not be empty"},
		"only a comment":  {"# nothing\n", "schema", "must not be empty"},
		"not YAML":        {"format: [1\n", "schema", "is not YAML"},
		"control":         {"format: \x01", "schema", "is not YAML"},
		"not UTF-8":       {"format: \xff\xfe", "schema", "is not YAML"},
		"two documents":   {"format: 1\n---\nformat: 1\n", "schema", "must be one YAML document"},
		"too long":        {strings.Repeat("#", schema.MaxText) + "\n", "schema", "must have at most 1048576 bytes"},
		"a list":          {"- 1\n", "", "line 1: must be an object"},
		"a text":          {"hello\n", "", "line 1: must be an object"},
		"no format":       {"collections: []\n", "format", "line 1: is required"},
		"another format":  {"format: 2\n", "format", "line 1: must be 1"},
		"unknown member":  {one("        colour: red\n"), "collections[0].fields[0].colour", "line 8: unknown member"},
		"unknown at top":  {"format: 1\ncollection: []\n", "collection", "line 2: unknown member"},
		"twice":           {one("        type: text\n"), "collections[0].fields[0].type", "line 8: is given twice"},
		"same key":        {"format: 1\ncomponents:\n  - key: a\n    name: A\n  - key: a\n    name: A\n", "components[1].key", "line 5: is the key of another one"},
		"no key":          {"format: 1\ncomponents:\n  - name: A\n", "components[0].key", "line 3: is required"},
		"icon":            {"format: 1\ncomponents:\n  - key: a\n    name: A\n    icon: article\n", "components[0].icon", "line 5: unknown member"},
		"number as text":  {one("        label: 12\n"), "collections[0].fields[0].label", "line 8: must be a text: put it in quotes"},
		"null as text":    {one("        label: ~\n"), "collections[0].fields[0].label", "line 8: must be a text: put it in quotes"},
		"text as flag":    {one("        required: yes\n"), "collections[0].fields[0].required", "line 8: must be true or false"},
		"quoted flag":     {one("        required: \"true\"\n"), "collections[0].fields[0].required", "line 8: must be true or false"},
		"text as number":  {one("        max: \"5\"\n"), "collections[0].fields[0].max", "line 8: must be a number, such as 200 or -1.5"},
		"hexadecimal":     {one("        max: 0x10\n"), "collections[0].fields[0].max", "line 8: must be a number, such as 200 or -1.5"},
		"infinity":        {one("        max: .inf\n"), "collections[0].fields[0].max", "line 8: must be a number, such as 200 or -1.5"},
		"huge number":     {one("        max: 1e999\n"), "collections[0].fields[0].max", "line 8: must be a number, such as 200 or -1.5"},
		"octal default":   {one("        default: 0o17\n"), "collections[0].fields[0].default", "line 8: must be a value as JSON has it; put a text in quotes"},
		"object for list": {one("        choices: {a: b}\n"), "collections[0].fields[0].choices", "line 8: must be a list"},
		"anchor":          {one("        label: &a x\n"), "collections[0].fields[0].label", "line 8: must not have anchors and aliases"},
		"alias":           {"format: &a 1\ncollections: *a\n", "collections", "line 2: must not have anchors and aliases"},
		"alias in value":  {one("        default: [&a 1, *a]\n"), "collections[0].fields[0].default", "line 8: must not have anchors and aliases"},
		"merge":           {"format: 1\n<<: {components: []}\n", "<<", "line 2: unknown member"},
		"tag":             {one("        label: !!binary aGk=\n"), "collections[0].fields[0].label", "line 8: must not have a tag"},
		"own tag":         {one("        label: !exec x\n"), "collections[0].fields[0].label", "line 8: must not have a tag"},
		"object as key":   {"format: 1\n? {a: b}\n: 1\n", "", "line 2: must be a name"},
		"deep default":    {one("        default: " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "\n"), "collections[0].fields[0].default", "line 8: must have at most 50 levels"},
		"deep file":       {strings.Repeat("[", 100_000), "schema", "is not YAML"},
		"deep indents":    {strings.Repeat("- ", 100_000), "schema", "is not YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Parse([]byte(test.text))
			e, ok := errors.AsType[*core.Error](err)
			require.True(t, ok, "%v", err)
			require.NotEmpty(t, e.Fields)
			assert.Equal(t, core.KindInvalid, e.Kind)
			at := 0
			for i, f := range e.Fields {
				if f.Location == test.location {
					at = i
				}
			}
			assert.Equal(t, test.location, e.Fields[at].Location)
			assert.True(t, strings.HasPrefix(e.Fields[at].Message, test.message), "%s", e.Fields[at].Message)
		})
	}
}

// A bomb of aliases is refused before an alias is followed.
func TestBombs(t *testing.T) {
	t.Parallel()
	bomb := "format: 1\na: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'z'; c++ {
		before := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+before+", ", 9) + "*" + before + "]\n"
	}
	_, err := schema.Parse([]byte(bomb))
	require.ErrorIs(t, err, core.ErrInvalid)
}

// What people write reads as what the program writes.
func TestFilesByHand(t *testing.T) {
	t.Parallel()
	file, err := schema.Parse([]byte(`# ours
format: 1
collections:
- name: 'News'   # the desk
  key: news
  icon: article
  description: >
    What the desk
    writes.
  fields:
  - {name: title, type: text, label: title, required: false, style: ascii}
  - name: since
    type: date
    default: 2026-01-02
  - name: kind
    type: enumeration
    choices:
    - a
    - "yes"
    default: null
`))
	require.NoError(t, err)
	assert.Equal(t, `format: 1
components: []
collections:
  - key: news
    name: News
    description: "What the desk writes.\n"
    fields:
      - name: title
        type: text
        style: ascii
      - name: since
        type: date
        default: "2026-01-02"
      - name: kind
        type: enumeration
        choices: [a, "yes"]
`, string(file.Text()))
	again, err := schema.Parse(file.Text())
	require.NoError(t, err)
	assert.Equal(t, string(file.Text()), string(again.Text()))
}

func FuzzParse(f *testing.F) {
	f.Add(one("        default: {a: [1, true, ~]}\n"))
	f.Add("format: 1\ncomponents:\n  - key: \"\\u2028\"\n    name: '''no'''\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := schema.Parse([]byte(text))
		if err != nil {
			require.ErrorIs(t, err, core.ErrInvalid)
			return
		}
		again, err := schema.Parse(file.Text())
		require.NoError(t, err, "%s", file.Text())
		require.Equal(t, string(file.Text()), string(again.Text()))
	})
}
