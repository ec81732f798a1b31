package fieldtype_test

import (
	"os"
	"strings"
	"testing"

	"imprimatur/core/fieldtype"
)

// TestGuideShowsEveryType compares the table of the API guide with the types.
func TestGuideShowsEveryType(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../api/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "| Type | Value | Example |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	names := fieldtype.Names(func(*fieldtype.Type) bool { return true })
	if rows := strings.Count(table, "\n") + 1; rows != len(names) {
		t.Errorf("the table has %d rows for %d types", rows, len(names))
	}
	for _, name := range names {
		of := fieldtype.Of(name)
		if row := "| `" + string(name) + "` | " + of.Form + " | `" + of.Example + "` |"; !strings.Contains(table, row) {
			t.Errorf("the table lacks %s", row)
		}
	}
}
