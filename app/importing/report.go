package importing

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Counts says what became of what came in: In is Out and Listed.
type Counts struct {
	In     int64 `json:"in"`
	Out    int64 `json:"out"`
	Listed int64 `json:"listed"`
}

// Written counts the entries of a collection.
type Written struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
}

// Report is the result of an import.
type Report struct {
	// Definitions are the changes of the definitions, one a line.
	Definitions []string `json:"definitions"`
	// Kinds has the lines of each kind of the source, Fields the values of each field of it, as "kind.field", and
	// Markup the elements of rich text by their names.
	Kinds  map[string]*Counts `json:"kinds"`
	Fields map[string]*Counts `json:"fields"`
	Markup map[string]*Counts `json:"markup"`
	Files  Counts             `json:"files"`
	// Collections has what was written, by the keys of the collections.
	Collections map[string]*Written `json:"collections"`
	// Left is the number of lines whose entries a person has changed here: they are listed, too.
	Left int64 `json:"left"`
	// Incomplete is the number of lines that break rules of their definitions. They are drafts.
	Incomplete int64 `json:"incomplete"`
	// Lost is the number of rows by what they are.
	Lost map[string]int64 `json:"lost"`

	rows *json.Encoder
}

// NewReport returns a report that writes a row of JSON to rows for each Lost; nil: none.
func NewReport(rows io.Writer) *Report {
	r := &Report{
		Definitions: []string{}, Kinds: map[string]*Counts{}, Fields: map[string]*Counts{}, Markup: map[string]*Counts{},
		Collections: map[string]*Written{}, Lost: map[string]int64{},
	}
	if rows != nil {
		r.rows = json.NewEncoder(rows)
		r.rows.SetEscapeHTML(false)
	}
	return r
}

// lose adds a row.
func (r *Report) lose(row Lost) error {
	r.Lost[row.What]++
	if r.rows == nil {
		return nil
	}
	return r.rows.Encode(row)
}

func count(of map[string]*Counts, name string) *Counts {
	if of[name] == nil {
		of[name] = &Counts{}
	}
	return of[name]
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, change := range r.Definitions {
		fmt.Fprintf(out, "definitions: %s\n", change)
	}
	rows := func(title string, of map[string]*Counts) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			c := of[name]
			fmt.Fprintf(out, "%s %s: %d in, %d out, %d listed\n", title, name, c.In, c.Out, c.Listed)
		}
	}
	rows("kind", r.Kinds)
	rows("field", r.Fields)
	rows("element", r.Markup)
	fmt.Fprintf(out, "files: %d in, %d out, %d listed\n", r.Files.In, r.Files.Out, r.Files.Listed)
	for _, name := range slices.Sorted(maps.Keys(r.Collections)) {
		c := r.Collections[name]
		fmt.Fprintf(out, "%s: %d created, %d updated, %d unchanged\n", name, c.Created, c.Updated, c.Unchanged)
	}
	fmt.Fprintf(out, "%d left because they were changed here, %d incomplete drafts\n", r.Left, r.Incomplete)
	var lost []string
	for _, what := range slices.Sorted(maps.Keys(r.Lost)) {
		lost = append(lost, fmt.Sprintf("%d %s", r.Lost[what], what))
	}
	if len(lost) == 0 {
		lost = []string{"nothing"}
	}
	fmt.Fprintf(out, "listed: %s\n", strings.Join(lost, ", "))
	return out.Flush()
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}

// Redirects writes a table of old addresses and of the entries that they lead to now.
type Redirects struct{ out *csv.Writer }

// NewRedirects returns a table with its header.
func NewRedirects(w io.Writer) *Redirects {
	r := &Redirects{csv.NewWriter(w)}
	_ = r.out.Write([]string{"from", "collection", "locale", "entry", "slug"}) // Close returns the error
	return r
}

func (r *Redirects) add(from, collection, locale, entry, slug string) {
	_ = r.out.Write([]string{from, collection, locale, entry, slug}) // Close returns the error
}

// Close writes the rest of the table.
func (r *Redirects) Close() error {
	r.out.Flush()
	return r.out.Error()
}
