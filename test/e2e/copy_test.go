package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/program"
)

// TestExportsOfCopiesAreEqual copies a collection to another project by export and import,
// on both engines: translations, both versions and schedules.
func TestExportsOfCopiesAreEqual(t *testing.T) {
	t.Parallel()
	for engine, database := range databases(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if _, diagnostics, err := program.Run(t, "", "migrate", "up", "--database-url", database); err != nil {
				t.Fatal(err, diagnostics)
			}
			run := func(project, stdin, command string, more ...string) string {
				t.Helper()
				args := append([]string{command, "--database-url", database, "--project", project, "--collection", "pages"}, more...)
				out, diagnostics, err := program.Run(t, stdin, args...)
				if err != nil {
					t.Fatalf("%s: %v\n%s%s", command, err, out, diagnostics)
				}
				return out
			}
			origin, target := newProject(t, database), newProject(t, database)
			const lines = `{"group":"morning","published":true,"publishedAt":"2020-01-02T03:04:05.678Z","createdAt":"2018-01-02T03:04:05.678Z","fields":{"title":"Edited"},"publishedVersion":{"fields":{"title":"Good morning"}}}
{"group":"morning","locale":"de","published":true,"fields":{"title":"Guten Morgen"}}
{"group":"noon","locale":"de","published":true,"publishAt":"2999-01-01T00:00:00Z","fields":{"title":"Guten Morgen"}}
{"group":"night","published":true,"publishAt":"2999-01-01T00:00:00Z","fields":{"title":"To come"},"publishedVersion":{"fields":{"title":"Night"}}}
{"fields":{"title":"Draft"}}
`
			run(origin, lines, "import", "-")
			exported := run(origin, "", "export")
			if !strings.Contains(exported, `"createdAt":"2018-01-02T03:04:05.678Z"`) || strings.Count(exported, `"createdAt"`) != 5 {
				t.Fatalf("exported: %s", exported)
			}
			if n := strings.Count(exported, "publishedVersion"); strings.Count(exported, "\n") != 5 || n != 2 || strings.Count(exported, `"publishAt"`) != 2 {
				t.Fatalf("exported: %s", exported)
			}
			if out := run(target, exported, "import", "-"); !strings.Contains(out, "5 created, 0 updated, 0 unchanged, 0 lines refused") {
				t.Errorf("the first import: %s", out)
			}
			if again := run(target, "", "export"); again != exported {
				t.Errorf("the copy exports\n%s\nnot\n%s", again, exported)
			}
			for _, project := range []string{target, origin} {
				if out := run(project, exported, "import", "-"); !strings.Contains(out, "0 created, 0 updated, 5 unchanged, 0 lines refused") {
					t.Errorf("an import again: %s", out)
				}
			}
			if again := run(origin, "", "export"); again != exported {
				t.Errorf("the original now exports\n%s\nnot\n%s", again, exported)
			}
			run(target, `{"group":"morning","createdAt":"2017-01-02T03:04:05.678Z"}`, "import", "-")
			if out, diagnostics, err := program.Run(t, "", "check", "--database-url", database, "--blob-url", "mem://"); err != nil {
				t.Errorf("check: %v\n%s%s", err, out, diagnostics)
			}
			_, diagnostics, err := program.Run(t, "", "import", "--database-url", database, "--project", target, "--collection", "pages", "--from-line", "0", "-")
			if err == nil || !strings.Contains(diagnostics, "--from-line is 0, but lines are counted from 1") {
				t.Errorf("--from-line 0: %v %s", err, diagnostics)
			}
		})
	}
}

// everyType has values of each type, among them blank and extreme ones. Those of references name the
// media items of newProject and entries of everyLine.
var everyType = map[core.FieldType][]string{
	core.TypeText:        {`""`, `"  "`, `"\u00a0\u200b"`, `"\\ \" é e\u0301 😀 \u202e"`, `"` + strings.Repeat("w", 1000) + `"`},
	core.TypeLongText:    {`""`, `"\n\t\r\n "`, `"one\ntwo\u2028three"`},
	core.TypeRichText:    {`""`, `"<p></p>"`, `"<p>&nbsp;</p>"`, `"<p>a &lt; b <strong>c</strong></p><table><tbody><tr><td></td></tr></table>"`},
	core.TypeSlug:        {`"a-b_c"`, `"2026"`},
	core.TypeEmail:       {`"info@münchen.example"`, `"a+b@x.example"`},
	core.TypeURL:         {`"https://example.org/%zz?q=ä#x"`, `"HTTP://[::1]:65535"`},
	core.TypeNumber:      {`0`, `-1.7976931348623157e+308`, `5e-324`, `9007199254740992`, `1e+21`, `0.1`, `-0.000001`, `123456789012345680`},
	core.TypeBoolean:     {`false`, `true`},
	core.TypeDate:        {`"0001-01-01"`, `"9999-12-31"`, `"2024-02-29"`},
	core.TypeTime:        {`"00:00:00"`, `"23:59:59.999"`},
	core.TypeDateTime:    {`"0001-01-01T00:00:00.000Z"`, `"9999-12-31T23:59:59.999Z"`},
	core.TypeEnumeration: {`"news"`, `"a, b"`},
	core.TypeColor:       {`"#000000"`, `"#1d3557ff"`},
	core.TypeJSON:        {`""`, `[]`, `{}`, `[""]`, `{"a":[1e-7,null,9007199254740992,"\u200b"]}`, `0`, `false`},
	core.TypeMedia:       {`{"hash":"` + hashOf([]byte("one.txt")) + `","fileName":"one.txt"}`, `{"hash":"` + hashOf([]byte("two.txt")) + `","fileName":"two.txt"}`},
	core.TypeRelation:    {`{"group":"line 0"}`, `{"group":"line 1"}`},
}

// everyField returns a field of each type with one value and one with several, and hidden ones.
func everyField() (fields []definition.FieldInput) {
	for _, name := range slices.Sorted(maps.Keys(everyType)) {
		f := definition.FieldInput{Name: string(name), Type: name}
		switch name {
		case core.TypeEnumeration:
			f.Choices = []string{"news", "a, b"}
		case core.TypeRelation:
			f.Collection = "pages"
		case core.TypeText:
			f.Unique = true
		}
		many, hidden := f, f
		many.Name, many.Multiple, many.Unique = f.Name+"s", true, false
		hidden.Name, hidden.Hidden, hidden.Unique = f.Name+"_hidden", true, false
		fields = append(fields, f, many, hidden)
	}
	return fields
}

// everyLine returns the nth line of an import: it has the nth value of each type, and in lists all.
func everyLine(n int, head string) string {
	members := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(everyType)) {
		place := map[core.FieldType]string{core.TypeMedia: "media", core.TypeRelation: "relations"}[name]
		place = cmp.Or(place, "fields")
		values := everyType[name]
		one := values[n%len(values)]
		members[place] = append(members[place], fmt.Sprintf(`"%s":%s,"%ss":[%s],"%s_hidden":%s`, name, one, name, strings.Join(values, ","), name, one))
	}
	return fmt.Sprintf(`{%s,"fields":{"title":"Line %d",%s},"media":{%s},"relations":{%s}}`, head, n,
		strings.Join(members["fields"], ","), strings.Join(members["media"], ","), strings.Join(members["relations"], ","))
}

// TestExportsOfEveryTypeAreEqual copies entries with values of every type to another project by export
// and import, on both engines: the copy exports the same bytes.
func TestExportsOfEveryTypeAreEqual(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for n := range 7 {
		head := fmt.Sprintf(`"group":"line %d"`, n)
		switch n % 4 {
		case 1:
			head += `,"published":true,"publishedAt":"2020-01-02T03:04:05.678Z"`
		case 2:
			head += `,"published":true,"unpublishAt":"2999-01-01T00:00:00Z","publishedVersion":{"fields":{"title":"Public","text":""}}`
		case 3:
			head += `,"published":true,"publishAt":"2998-01-01T00:00:00Z","unpublishAt":"2999-01-01T00:00:00Z"`
		}
		lines.WriteString(everyLine(n, head) + "\n" + everyLine(n+1, fmt.Sprintf(`"group":"line %d","locale":"de"`, n)) + "\n")
	}
	for engine, database := range databases(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if _, diagnostics, err := program.Run(t, "", "migrate", "up", "--database-url", database); err != nil {
				t.Fatal(err, diagnostics)
			}
			run := func(project, stdin, command string, more ...string) string {
				t.Helper()
				args := append([]string{command, "--database-url", database, "--project", project, "--collection", "pages"}, more...)
				out, diagnostics, err := program.Run(t, stdin, args...)
				if err != nil {
					t.Fatalf("%s: %v\n%s%s", command, err, out, diagnostics)
				}
				return out
			}
			origin, target := newProject(t, database, everyField()...), newProject(t, database, everyField()...)
			run(origin, lines.String(), "import", "-")
			exported := run(origin, "", "export", "--with-hidden")
			if n := strings.Count(exported, "\n"); n != 14 {
				t.Fatalf("%d lines are exported", n)
			}
			run(target, exported, "import", "-")
			if again := run(target, "", "export", "--with-hidden"); again != exported {
				t.Errorf("the copy exports\n%s\nnot\n%s", again, exported)
			}
			if out := run(target, exported, "import", "-"); !strings.Contains(out, "0 created, 0 updated, 14 unchanged, 0 lines refused") {
				t.Errorf("an import again: %s", out)
			}
		})
	}
}
