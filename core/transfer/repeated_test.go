package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
)

// faultsByLine returns the messages of the refused lines, by line and location.
func faultsByLine(report transfer.ImportReport) map[int64]map[string]string {
	found := map[int64]map[string]string{}
	for _, f := range report.Failed {
		found[f.Line] = locations(f.Err)
	}
	return found
}

// TestLinesForOneEntryUnderDifferentNames imports pairs of lines that write the same entry, in one
// transaction and in two, without relations and with relations to later lines.
func TestLinesForOneEntryUnderDifferentNames(t *testing.T) {
	t.Parallel()
	const whole = `{"key":"hello","published":true,"fields":{"code":"hello","title":"Hello"},"translations":{"de":{"code":"hallo","title":"Hallo"}}}`
	const german = `{"key":"hello","locale":"de","published":true,"fields":{"code":"hello","title":"Other"}}`
	const written, renamed = "line 1 has written this entry in locale %s, which would be overwritten", "line 1 has given another key to the entry with this key in locale en"
	for _, test := range []struct{ name, first, second, location, message string }{
		{"translation first", whole, german, "key", fmt.Sprintf(written, "de")},
		{"translation last", german, whole, "key", fmt.Sprintf(written, "de")},
		{"reference of another project", `{"group":"g","fields":{"title":"A"}}`, `{"group":"P/1","fields":{"title":"B"}}`, "group", fmt.Sprintf(written, "en")},
		{"own reference first", `{"group":"P/1","fields":{"title":"A"}}`, `{"group":"g","fields":{"title":"B"}}`, "group", fmt.Sprintf(written, "en")},
		{"key and reference", `{"key":"old","fields":{"title":"A"}}`, `{"group":"P/1","fields":{"title":"B"}}`, "group", fmt.Sprintf(written, "en")},
		{"reference and key", `{"group":"P/1","fields":{"title":"A"}}`, `{"key":"old","fields":{"title":"B"}}`, "key", fmt.Sprintf(written, "en")},
		{"renamed", `{"group":"P/1","fields":{"code":"new","title":"A"}}`, `{"key":"old","fields":{"title":"B"}}`, "key", renamed},
	} {
		for _, portion := range []int{1, 1000} {
			for _, links := range []string{"", `"relations":{"friends":["c","d"]},`} {
				t.Run(fmt.Sprintf("%s/%d/%t", test.name, portion, links != ""), func(t *testing.T) {
					t.Parallel()
					d := setup(t)
					c := d.collection(t, "people",
						definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
						definition.FieldInput{Name: "title", Type: core.TypeText},
						definition.FieldInput{Name: "friends", Type: core.TypeRelation, Collection: "people", Multiple: true},
					)
					d.load(t, c, lines(`{"group":"g","fields":{"code":"old","title":"Old"}}`), transfer.ImportOptions{})
					var all []string
					for _, line := range []string{test.first, test.second, `{"key":"c","fields":{"title":"C"}}`, `{"key":"d","fields":{"title":"D"}}`} {
						all = append(all, strings.Replace(strings.Replace(line, "P/1", d.project.UUID+"/1", 1), `{`, `{`+links, 1))
					}
					report := d.load(t, c, lines(all...), transfer.ImportOptions{Portion: portion})
					require.Equal(t, map[int64]map[string]string{2: {test.location: test.message}}, faultsByLine(report))
				})
			}
		}
	}
}

// TestLinesOfACycleForOneEntry has two lines for an entry in a cycle of relations, in one transaction
// and in several.
func TestLinesOfACycleForOneEntry(t *testing.T) {
	t.Parallel()
	for _, portion := range []int{1, 2, 1000} {
		d := setup(t)
		c := d.countries(t)
		report := d.load(t, c, lines(
			`{"key":"A","fields":{"name":"A"},"relations":{"borders":["C"]},"translations":{"de":{"code":"A-de"}}}`,
			`{"key":"A","locale":"de","fields":{"name":"B"},"relations":{"borders":["C"]}}`,
			`{"key":"C","fields":{"name":"C"},"relations":{"borders":["A"]}}`,
		), transfer.ImportOptions{Portion: portion})
		require.Equal(t, map[int64]map[string]string{2: {"key": "line 1 has written this entry in locale de, which would be overwritten"}}, faultsByLine(report))
		require.Equal(t, int64(3), report.Created)
	}
}

// TestKeysThatEntriesLose has an entry that takes the key of an entry with another group.
func TestKeysThatEntriesLose(t *testing.T) {
	t.Parallel()
	for _, portion := range []int{1, 1000} {
		d := setup(t)
		c := d.countries(t)
		d.load(t, c, lines(`{"group":"a","fields":{"code":"A","name":"First"}}`), transfer.ImportOptions{})
		report := d.load(t, c, lines(
			`{"group":"a","fields":{"code":"B","name":"First"}}`,
			`{"group":"b","fields":{"code":"A","name":"Second"}}`,
		), transfer.ImportOptions{Portion: portion})
		require.Equal(t, transfer.ImportReport{Lines: 2, Created: 1, Updated: 1}, report)
	}
}

// TestLinesBehindARefusedCycle refuses the lines of a cycle whose fault is found at the end of the
// file, and the lines that point to it.
func TestLinesBehindARefusedCycle(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	report := d.load(t, c, lines(
		`{"key":"A","fields":{"name":"A"},"relations":{"borders":["B"]}}`,
		`{"key":"B","fields":{"name":"B"},"relations":{"borders":["A","missing"]}}`,
		`{"key":"X","fields":{"name":"X"},"relations":{"borders":["A"]}}`,
		`{"key":"Y","fields":{"name":"Y"},"relations":{"borders":["X"]}}`,
		`{"key":"Z","fields":{"name":"Z"},"relations":{"borders":["Y","Z"]}}`,
		`{"key":"good","fields":{"name":"Good"}}`,
	), transfer.ImportOptions{})
	const message = "no entry of countries has this key"
	require.Equal(t, map[int64]map[string]string{
		1: {"relations.borders[0]": message + ": line 2 was refused"},
		2: {"relations.borders[1]": message},
		3: {"relations.borders[0]": message + ": line 1 was refused"},
		4: {"relations.borders[0]": message + ": line 3 was refused"},
		5: {"relations.borders[0]": message + ": line 4 was refused"},
	}, faultsByLine(report))
}

// TestFaultsOfOneMember has members of the wrong type.
func TestFaultsOfOneMember(t *testing.T) {
	t.Parallel()
	d := setup(t)
	report := d.load(t, d.countries(t), lines(
		`{"key":"A","published":true,"publishedAt":"soon"}`,
		`{"key":"B","publishedAt":"soon"}`,
		`{"key":"C","published":"yes","publishedAt":"2025-01-01T00:00:00Z","publishedVersion":{"fields":{}}}`,
		`{"key":"D","published":false,"publishedAt":"2025-01-01T00:00:00Z"}`,
		`{"key":"E","published":null,"publishedVersion":{}}`,
	), transfer.ImportOptions{})
	require.Equal(t, map[int64]map[string]string{
		1: {"fields.name": "is required", "publishedAt": `must be a time such as "2020-01-31T09:00:00Z"`},
		2: {"fields.name": "is required", "publishedAt": `must be a time such as "2020-01-31T09:00:00Z"`},
		3: {"fields.name": "is required", "published": "must be true or false"},
		4: {"fields.name": "is required", "publishedAt": `goes with "published": true`},
		5: {"fields.name": "is required", "published": "must not be null"},
	}, faultsByLine(report))
}

// TestRefusedLinesHaveTheirKeys has lines whose keys are at fault.
func TestRefusedLinesHaveTheirKeys(t *testing.T) {
	t.Parallel()
	d := setup(t)
	report := d.load(t, d.countries(t), lines(
		`{"key":7,"fields":{"name":"A"}}`,
		`{"key":"B","fields":{"code":"C","name":"B"}}`,
		`{"key":"D","fields":{"name":"D"},"relations":{"borders":["B"]}}`,
		`{"key":"E","fields":{"nope":"E"}}`,
	), transfer.ImportOptions{})
	var found []string
	for _, f := range report.Failed {
		found = append(found, fmt.Sprintf("%s %s %s %s", f.Key, f.Err.Fields[0].Location, f.Err.Fields[0].Value, f.Err.Fields[0].Message))
	}
	require.Equal(t, []string{
		`7 key 7 must be a string`, `"B" key "B" is not the value of code`,
		`"D" relations.borders[0] "B" no entry of countries has this key: line 2 was refused`, `"E" fields.nope "E" no such field`,
	}, found)
}
