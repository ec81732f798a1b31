package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// TestStatementsUseTheRightIndex explains all statements of writes and reads of entries. SQLite
// has no statistics: its plan depends on the text of the statement and on its defaults.
func TestStatementsUseTheRightIndex(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	explainer, err := sql.Open("sqlite", "file:"+path)
	ok(t, err)
	defer explainer.Close() //nolint:errcheck // it only read
	statements := map[string][]any{}
	const most = 5 // of the statements of lists of what a user edited
	explained := 0
	useEntries(sqldb.WithStatementObserver(t.Context(), func(text string, args []any) {
		statements[text] = args
		if explained < most && strings.Contains(text, "w.updated_by = ") {
			explained++
			readsTheIndexOfEditors(t, text, explain(t, explainer, text, args))
		}
	}), t, db)
	if explained < most {
		t.Errorf("%d lists of what a user edited were explained", explained)
	}
	groups := 0
	for text, args := range statements {
		steps := explain(t, explainer, text, args)
		for _, step := range steps {
			if strings.Contains(step, "entry_index_group") {
				groups++
			}
			// A Probe gives its subquery the alias of the table.
			if step == "SCAN i" && slices.Contains(steps, "CO-ROUTINE i") {
				continue
			}
			if fault := faultOf(text, step); fault != "" {
				t.Errorf("%s: %s\nin %s", fault, step, text)
			}
		}
	}
	if len(statements) < 40 || groups < 10 {
		t.Errorf("%d statements, %d of them by group: some are missing", len(statements), groups)
	}
}

// TestLongListsAreWrittenOnce reads with as many values as a query may have, in 60 locales. The
// statement has each list as one argument: with a placeholder for each value it had 1.7 MB.
func TestLongListsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	db, _ := setup(t)
	stores := db.Stores()
	tenant := core.Tenant{Name: "Meridian", CreatedAt: someTime, UpdatedAt: someTime}
	ok(t, stores.Tenants.Insert(t.Context(), &tenant))
	project := &core.Project{TenantID: tenant.ID, UUID: "a", Name: "Desk", CreatedAt: someTime, UpdatedAt: someTime}
	for n := range core.MaxLocales {
		project.Locales = append(project.Locales, fmt.Sprintf("x%c-%c", 'a'+n/26, 'a'+n%26))
	}
	project.DefaultLocale = project.Locales[0]
	ok(t, stores.Projects.Insert(t.Context(), project))
	field := &core.Field{ID: 1, Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true}
	articles := &core.Collection{
		ProjectID: project.ID, Slug: "articles", Name: "Articles", Version: 1, CreatedAt: someTime, UpdatedAt: someTime, Fields: []*core.Field{field},
	}
	ok(t, stores.Collections.Insert(t.Context(), articles))
	schema := core.Schema{Project: project, Collection: articles, Collections: []*core.Collection{articles}}
	last := write(t.Context(), t, stores, schema, project.Locales[59], 0, `{"views":499}`)
	write(t.Context(), t, stores, schema, project.Locales[58], 0, `{"views":500}`)

	sel := query.Selection{Schema: schema, Locale: query.AllLocales, Sort: []query.SortKey{{Field: core.SystemID}}, Limit: 20}
	for range query.MaxConditionsInLocales / core.MaxLocales {
		clause := query.Predicate{Field: field, Op: query.OpIn}
		for n := range query.MaxInValues {
			clause.Values = append(clause.Values, core.Value{Num: float64(n)})
		}
		sel.Or = append(sel.Or, []query.Predicate{clause})
	}
	ctx := sqldb.WithStatementObserver(t.Context(), func(text string, _ []any) {
		if len(text) > 60_000 {
			t.Errorf("a statement has %d bytes", len(text))
		}
	})
	rows, _, err := stores.Entries.List(ctx, sel, false)
	ok(t, err)
	if len(rows) != 1 || rows[0].ID != last.ID {
		t.Errorf("got %v, want the entry %d", rows, last.ID)
	}
}

// TestInboxListsUseTheirIndex checks that a list reads only its own requests.
func TestInboxListsUseTheirIndex(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	explainer, err := sql.Open("sqlite", "file:"+path)
	ok(t, err)
	defer explainer.Close() //nolint:errcheck // it only read
	for list, index := range map[review.InboxList]string{
		review.InboxPending: "approval_requests_pending (project_id=?)", review.InboxSubmitted: "approval_requests_submitted (project_id=? AND submitter_id=?)",
		review.InboxScheduled: "approval_requests_scheduled (project_id=? AND scheduled_at>?)", review.InboxDecided: "approval_actions_decided (project_id=? AND actor_id=?)",
	} {
		ctx := sqldb.WithStatementObserver(t.Context(), func(text string, args []any) {
			steps := explain(t, explainer, text, args)
			if !slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(step, index) }) {
				t.Errorf("list %d does not use %s: %q", list, index, steps)
			}
		})
		q := review.InboxQuery{List: list, Reach: review.Reach{UserID: 1, SuperAdmin: true, CustomRoles: []int64{1}}, Limit: 25}
		_, err := db.Stores().Requests.Inbox(ctx, q)
		ok(t, err)
		_, err = db.Stores().Requests.InboxCount(ctx, q)
		ok(t, err)
	}
}

// readsTheIndexOfEditors checks that a list of what a user edited decides by the index of editors which entries
// it has, and reads no rows of entries for it: they have the documents.
func readsTheIndexOfEditors(t *testing.T, text string, steps []string) {
	t.Helper()
	decides := slices.DeleteFunc(steps, func(step string) bool { return !strings.HasPrefix(step, "SEARCH w ") })
	if len(decides) == 0 || slices.ContainsFunc(decides, func(step string) bool { return !strings.Contains(step, "COVERING INDEX entries_edited") }) {
		t.Errorf("%q\nin %s", decides, text)
	}
}

// TestTheTotalOfAnEditorReadsOneIndex checks that the number of the entries that a user edited last is counted
// in the index of editors, once for all languages, and looks up no entry.
func TestTheTotalOfAnEditorReadsOneIndex(t *testing.T) {
	t.Parallel()
	db, _ := setup(t)
	for _, locale := range []string{query.AllLocales, "en"} {
		explained, err := db.Explain(t.Context(), query.Selection{
			Schema: core.Schema{Project: &core.Project{ID: 1, DefaultLocale: "en", Locales: []string{"en", "de", "fr"}}, Collection: &core.Collection{ID: 2, ProjectID: 1}},
			State:  core.StateWithDraft, Locale: locale, EditedBy: 7, Limit: 1, Sort: []query.SortKey{{Field: core.SystemID}},
		})
		ok(t, err)
		total := explained[len(explained)-1]
		const want = "SEARCH e USING COVERING INDEX entries_edited (project_id=? AND collection_id=? AND updated_by=?)"
		engine := strings.ReplaceAll(total.Engine, "SEARCH n USING PRIMARY KEY (project_id=?)", "") // the releases of the project
		if total.Title != "Total" || strings.Count(engine, "SEARCH") != 1 || !strings.Contains(total.Engine, want) {
			t.Errorf("%s is counted by\n%s", total.Title, total.Engine)
		}
	}
}

var contentTables = []string{"entries", "revisions", "entry_index", "entry_values", "entry_texts", "entry_claims", "entry_counters", "entry_buckets"}

var (
	scan = regexp.MustCompile(`^SCAN (\w+)`)
	// wholeScope matches a step that reads all rows of a Project or a collection.
	wholeScope = regexp.MustCompile(`^SEARCH .*\((project_id=\?|project_id=\? AND collection_id=\?)\)$`)
	portion    = regexp.MustCompile(`^(DELETE FROM |SELECT id FROM entries ).* ORDER BY .* LIMIT \$\d\)?$`)
)

// faultOf returns the fault of a step of a plan, or "".
func faultOf(text, step string) string {
	read := scan.FindStringSubmatch(step)
	switch {
	case read != nil && ofContent(text, read[1]):
		return "reads a whole table"
	// A Project has few webhooks, and deletions are found by their key.
	case wholeScope.MatchString(step) && !meantForAll(text) &&
		!strings.Contains(step, "webhooks_project") && !strings.Contains(step, "autoindex_deletions"):
		return "reads a whole Project or collection"
	default:
		return ""
	}
}

// ofContent reports whether name is a table of entries or an alias of one in a statement. It looks for words: regular
// expressions take most of the test's processor time for statements of this length.
func ofContent(text, name string) bool {
	words := strings.Fields(text)
	for i, word := range words {
		if !slices.Contains(contentTables, strings.TrimLeft(word, "(")) || i+1 == len(words) {
			continue
		}
		alias := words[i+1]
		if alias == "AS" && i+2 < len(words) {
			alias = words[i+2]
		}
		if strings.TrimRight(alias, "),") == name {
			return true
		}
	}
	return slices.Contains(contentTables, name)
}

// meantForAll reports whether a statement deletes all schedules of a collection, or is about a portion of
// all its rows.
func meantForAll(text string) bool {
	return portion.MatchString(text) || text == "DELETE FROM schedules WHERE project_id = $1 AND collection_id = $2"
}

// useEntries writes entries in all ways and reads them by all methods of the store.
func useEntries(ctx context.Context, t *testing.T, db *sqlstore.DB) {
	t.Helper()
	stores := db.Stores()
	tenant := core.Tenant{Name: "Meridian", CreatedAt: someTime, UpdatedAt: someTime}
	ok(t, stores.Tenants.Insert(ctx, &tenant))
	project := &core.Project{
		TenantID: tenant.ID, UUID: "a", Name: "Desk", DefaultLocale: "en", Locales: []string{"en", "de", "fr"}, CreatedAt: someTime, UpdatedAt: someTime,
	}
	ok(t, stores.Projects.Insert(ctx, project))
	authors := &core.Collection{
		ProjectID: project.ID, Slug: "authors", Name: "Authors", Version: 1, CreatedAt: someTime, UpdatedAt: someTime,
		Fields: []*core.Field{{ID: 1, Name: "name", Type: core.TypeText, Slot: "t1", SlotReady: true}, {ID: 2, Name: "mentor", Type: core.TypeRelation, Collection: "authors"}},
	}
	articles := &core.Collection{
		ProjectID: project.ID, Slug: "articles", Name: "Articles", Version: 1, CreatedAt: someTime, UpdatedAt: someTime,
		Fields: []*core.Field{
			{ID: 1, Name: "title", Type: core.TypeText, Unique: true, Searchable: true, Slot: "t1", SlotReady: true},
			{ID: 2, Name: "category", Type: core.TypeText, Slot: "t2", SlotReady: true},
			{ID: 3, Name: "tags", Type: core.TypeText, Multiple: true},
			{ID: 4, Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
			{ID: 5, Name: "author", Type: core.TypeRelation, Collection: "authors"},
			{ID: 6, Name: "rank", Type: core.TypeNumber},
			{ID: 7, Name: "about", Type: core.TypeRelation, Collections: []string{"authors", "articles"}},
		},
	}
	for _, c := range []*core.Collection{authors, articles} {
		ok(t, stores.Collections.Insert(ctx, c))
	}
	schema := core.Schema{Project: project, Collection: articles, Collections: []*core.Collection{authors, articles}}
	of := func(c *core.Collection) core.Schema {
		return core.Schema{Project: project, Collection: c, Collections: schema.Collections}
	}

	author := write(ctx, t, stores, of(authors), "en", 0, `{"name":"Ada"}`)
	article := write(ctx, t, stores, schema, "en", 0, fmt.Sprintf(`{"author":%d,"category":"news","rank":1,"tags":["a","b"],"title":"First","views":3}`, author.Group))
	translation := write(ctx, t, stores, schema, "de", article.Group, `{"title":"Erster"}`)
	for range 2 {
		article.Version++
		ok(t, db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			if _, err := stores.Entries.Lock(ctx, project.ID, article.ID); err != nil {
				return err
			}
			return stores.Entries.Update(ctx, schema, &article)
		}))
	}
	var batch []*core.Entry
	ids, err := stores.Entries.NewIDs(ctx, 3)
	ok(t, err)
	for _, id := range ids {
		e := entry(schema, "en", fmt.Sprintf(`{"title":"Number %d"}`, id))
		e.ID, e.Group = id, id
		batch = append(batch, &e)
	}
	ok(t, stores.Entries.Save(ctx, schema, batch, nil))
	for _, e := range batch {
		e.Version++
	}
	ok(t, stores.Entries.Save(ctx, schema, nil, batch))
	keys := []core.RevisionKey{{EntryID: ids[0], Number: 3}, {EntryID: ids[1], Number: 2}}
	_, err = stores.Revisions.Prunable(ctx, project.ID, keys...)
	ok(t, err)
	ok(t, stores.Revisions.Delete(ctx, project.ID, keys...))
	_, err = stores.Entries.Holders(ctx, schema, []string{"en"}, []core.UniqueValue{{Field: "title", Value: core.Value{Text: "First"}}})
	ok(t, err)
	_, err = stores.Entries.Reindex(ctx, schema, 0, 100)
	ok(t, err)
	changed := *project
	changed.Fallbacks = map[string][]string{"fr": {"de", "en"}}
	ok(t, stores.Projects.Update(ctx, &changed))
	_, err = stores.Entries.Serve(ctx, &changed, 0, 100)
	ok(t, err)

	readEntries(ctx, t, stores.Entries, schema, article, author)
	for _, locale := range []string{"", "de"} {
		_, err = stores.Entries.PublicPlaces(ctx, project, []int64{authors.ID, articles.ID}, locale, core.PublicPlace{CollectionID: authors.ID, ID: author.ID}, 10)
		ok(t, err)
	}
	_, err = stores.Entries.PublicVersions(ctx, project.ID, []int64{article.ID, author.ID}, true)
	ok(t, err)
	ok(t, stores.Entries.Destroy(ctx, schema, translation.ID, ""))
	ok(t, stores.Collections.Delete(ctx, project.ID, authors.ID))
}

func entry(schema core.Schema, locale, document string) core.Entry {
	return core.Entry{
		ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, Locale: locale, Version: 1, Draft: core.Document(document), Published: core.Document(document),
		PublishedAt: someTime, CreatedAt: someTime, UpdatedAt: someTime, ReleasedAt: someTime,
	}
}

func write(ctx context.Context, t *testing.T, stores ports.Stores, schema core.Schema, locale string, group int64, document string) core.Entry {
	t.Helper()
	e := entry(schema, locale, document)
	e.Group = group
	ok(t, stores.Entries.Insert(ctx, schema, &e))
	return e
}

// readEntries lists with all kinds of filters and orders: in the default locale, in a locale with
// fallbacks and in all locales. It then calls the other read methods.
func readEntries(ctx context.Context, t *testing.T, entries ports.EntryStore, schema core.Schema, article, author core.Entry) {
	t.Helper()
	field := schema.Collection.Field
	text := func(values ...string) (all []core.Value) {
		for _, v := range values {
			all = append(all, core.Value{Text: v})
		}
		return all
	}
	one := []core.Value{{Num: 1}}
	name := query.Predicate{Relation: field("author"), Target: schema.Collections[0], Field: schema.Collections[0].Fields[0], Values: text("Ada")}
	unnamed := name
	unnamed.Op = query.OpNot
	about := query.Predicate{
		Relation: field("about"), Target: schema.Collections[0], Field: schema.Collections[0].Fields[0],
		Others: []query.Hop{{Target: schema.Collection, Field: field("category")}}, Values: text("Ada"),
	}
	mentored := name
	mentored.Second, mentored.SecondTarget = schema.Collections[0].Fields[1], schema.Collections[0]
	unmentored := mentored
	unmentored.Op = query.OpNot
	unlike := about
	unlike.Op = query.OpNotIn
	filters := [][]query.Predicate{
		nil, {name}, {unnamed}, {mentored}, {unmentored}, {about}, {unlike}, {about, name},
		{{Field: field("about"), Values: []core.Value{{Num: float64(author.ID)}}}},
		{{Field: field("category"), Values: text("news")}},
		{{Field: field("category"), Op: query.OpIn, Values: text("news", "sports")}, {Field: field("views"), Op: query.OpGreater, Values: one}},
		{{Field: field("tags"), Values: text("a")}},
		{{Field: field("tags"), Op: query.OpNotIn, Values: text("a", "c")}, name},
		{{Field: field("title"), Op: query.OpLike, Values: text("irst")}},
		{{Field: field("views"), Values: one}, {Field: field("category"), Op: query.OpIn, Values: text("news", strings.Repeat("n", 2000))}},
		{{Field: field("views"), Values: one}, {Field: field("category"), Values: text(strings.Repeat("n", 2000))}},
		{{Field: field("category"), Op: query.OpLike, Values: text("ew")}},
		{{Field: field("author"), Values: []core.Value{{Num: float64(author.ID)}}}},
		{{Field: field("author"), Op: query.OpNull}},
		{{Field: field("rank"), Values: one}},
	}
	tallied := []*core.Field{field("category"), field("tags"), field("author"), field("about"), core.SystemPublishedAt, core.SystemCreatedAt, core.SystemUpdatedAt}
	sorts := []*core.Field{core.SystemID, core.SystemPublishedAt, core.SystemUpdatedAt, field("views"), field("title")}
	for _, where := range filters {
		for _, by := range sorts {
			for _, locale := range []string{"en", "fr", query.AllLocales} {
				for _, state := range []core.State{core.StatePublished, core.StateOnlyDraft, core.StateWithDraft} {
					sel := query.Selection{Schema: schema, Locale: locale, State: state, Where: where, Sort: []query.SortKey{{Field: by}, {Field: core.SystemID}}, Limit: 20}
					_, _, err := entries.List(ctx, sel, false)
					ok(t, err)
					_, err = entries.Count(ctx, sel)
					ok(t, err)
					edited := sel
					edited.EditedBy = 7
					translations := sel
					translations.Member = article.ID
					_, _, err = entries.List(ctx, translations, false)
					ok(t, err)
					_, err = entries.Count(ctx, translations)
					ok(t, err)
					_, _, err = entries.List(ctx, edited, true)
					ok(t, err)
					for _, counted := range tallied {
						if by != core.SystemID || len(where) > 1 && state != core.StatePublished {
							continue // a tally has no order
						}
						sel := sel
						if where == nil && counted.Listed() {
							sel = translations
						}
						_, err = entries.Tally(ctx, sel, query.Tally{By: counted, Periods: []int64{0, 1000, 2000}, Most: 200})
						ok(t, err)
					}
					for _, sel.After = range positions(by) {
						_, _, err = entries.List(ctx, sel, false)
						ok(t, err)
					}
				}
			}
		}
	}
	project := schema.Project.ID
	for _, read := range []func() error{
		func() error { _, err := entries.Published(ctx, project, schema.Collection.ID, article.ID); return err },
		func() error {
			_, err := entries.Alternates(ctx, schema.Project, []int64{article.Group}, nil)
			return err
		},
		func() error {
			fields := []query.FieldOf{{Collection: schema.Collection, Field: field("author")}, {Collection: schema.Collections[0], Field: schema.Collections[0].Fields[1]}}
			_, err := entries.Referrers(ctx, schema.Project, query.ReferrersQuery{Fields: fields, To: []query.GroupIn{{Group: author.Group}, {Group: author.Group, Locale: 1}},
				Before: 1000, Limit: 5, Counts: true})
			return err
		},
		func() error {
			_, err := entries.Serving(ctx, project, core.StatePublished, []int64{article.Group}, 1, true)
			return err
		},
		func() error {
			_, err := entries.Serving(ctx, project, core.StateWithDraft, []int64{article.Group, author.Group}, 1, true)
			return err
		},
		func() error { _, err := entries.Translations(ctx, project, article.Group, author.Group); return err },
		func() error { _, err := entries.Entries(ctx, project, []int64{article.ID, author.ID}); return err },
		func() error { _, err := entries.Walk(ctx, project, schema.Collection.ID, 0, 10); return err },
		func() error { _, err := entries.Trash(ctx, project, schema.Collection.ID, 0, 10); return err },
	} {
		ok(t, read())
	}
}

// positions returns positions in the order of f and the id: at a value and at null.
func positions(f *core.Field) []*query.Position {
	if f == core.SystemID {
		return []*query.Position{{ID: 1, Values: []*core.Value{nil}}} // the key f
	}
	return []*query.Position{{ID: 1, Values: []*core.Value{{Text: "x", Num: 1}}}, {ID: 1, Values: []*core.Value{nil}}}
}

// explain returns the steps of a statement's plan.
func explain(t *testing.T, db *sql.DB, text string, args []any) (steps []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		var id, parent, unused int
		var step string
		ok(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	ok(t, rows.Err())
	return steps
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
