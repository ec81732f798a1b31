package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/demo"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
	"imprimatur/test/bench/article"
)

// facts extends the facts of the demo with the ids of the entry with many fields.
type facts struct {
	demo.Facts

	Wide wideEntry `json:"wide"`
}

type wideEntry struct {
	Collection int64 `json:"collection"`
	Entry      int64 `json:"entry"`
}

// filler fills the demo's World Desk.
type filler struct {
	demo.Parts

	facts   facts
	project *core.Project
}

var system = core.Actor{System: true}

// fill creates the demo's organisation. Its World Desk gets the articles, the last of which
// wait for a decision, and an entry with many fields.
func fill(ctx context.Context, cfg config.Config, articles, requests int) (facts, error) {
	cfg.Bulk = true // as the import command does
	var f filler
	var db *sqlstore.DB
	stop, err := service.Use(ctx, cfg, &f.Organisation, &f.Members, &f.Users, &f.Tokens, &f.Collections, &f.Writer, &f.Importer,
		&f.Reader, &f.Sessions, &f.Workflows, &f.Reviews, &f.Library, &f.Releases, &f.Assistants, &db)
	if err != nil {
		return facts{}, err
	}
	defer stop()
	if f.facts.Facts, err = demo.Seed(ctx, f.Parts); err != nil {
		return facts{}, err
	}
	if f.project, err = db.Stores().Projects.Project(ctx, f.facts.Projects.WorldDesk.ID); err != nil {
		return facts{}, err
	}
	newsroom, err := db.Stores().Departments.Department(ctx, f.facts.Departments.Newsroom)
	if err != nil {
		return facts{}, err
	}
	// The importer publishes without a workflow, and submits with one.
	if err := f.Workflows.RemoveDepartment(ctx, system, newsroom); err != nil {
		return facts{}, err
	}
	if err := f.importArticles(ctx, 0, articles-requests); err != nil {
		return facts{}, err
	}
	if err := f.wide(ctx); err != nil {
		return facts{}, err
	}
	if _, err := f.Workflows.SetDepartment(ctx, system, newsroom, approval.WorkflowInput{Steps: []approval.StepInput{
		{StepOrder: 1, RequiredRoleKind: string(core.RoleAdmin), StepLabel: new("Desk editor")},
		{StepOrder: 2, RequiredRoleKind: string(core.RoleDepartmentAdmin), RequiredCustomRoleID: &f.facts.CustomRoles.Legal, StepLabel: new("Legal")},
		{StepOrder: 3, RequiredRoleKind: string(core.RoleDepartmentAdmin), StepLabel: new("Head of the newsroom")},
	}}); err != nil {
		return facts{}, err
	}
	if err := f.importArticles(ctx, articles-requests, articles); err != nil {
		return facts{}, err
	}
	return f.facts, db.Vacuum(ctx)
}

// importArticles imports the generated articles with the numbers from (exclusive) to to.
func (f *filler) importArticles(ctx context.Context, from, to int) error {
	lines, writer := io.Pipe()
	go func() {
		encoder, n := json.NewEncoder(writer), 0
		writer.CloseWithError(article.Each(to, func(a article.Article) error {
			if n++; n <= from {
				return nil
			}
			a.Body = "<p>" + a.Body + "</p>"
			a.Rating = min(a.Rating, 5)
			return encoder.Encode(map[string]any{"published": true, "fields": a})
		}))
	}()
	report, err := f.Importer.Import(ctx, system, f.project, f.facts.Collections.Articles, lines, transfer.ImportOptions{})
	if err == nil && len(report.Failed) > 0 {
		err = fmt.Errorf("line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	return err
}

const (
	wideFields = 199    // text fields; the rich text is the last of the 200 that a collection can have
	longText   = 50_000 // bytes
)

// wide creates a collection with as many fields as possible, and an entry with a long text.
func (f *filler) wide(ctx context.Context) error {
	fields := []definition.FieldInput{{Name: "body", Label: "Body", Type: core.TypeRichText}}
	values := map[string]json.RawMessage{}
	for n := 1; n <= wideFields; n++ {
		name := fmt.Sprintf("text%d", n)
		fields = append(fields, definition.FieldInput{Name: name, Label: fmt.Sprintf("Text %d", n), Type: core.TypeText})
		values[name] = json.RawMessage(`"A short text"`)
	}
	collection, err := f.Collections.Create(ctx, system, f.project, definition.CollectionInput{Slug: "wide", Name: "Wide", Fields: fields})
	if err != nil {
		return err
	}
	var body strings.Builder
	enough := errors.New("enough")
	err = article.Each(longText, func(a article.Article) error {
		fmt.Fprintf(&body, "<p>%s</p>", a.Body)
		if body.Len() >= longText {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		return err
	}
	if values["body"], err = json.Marshal(body.String()); err != nil {
		return err
	}
	entry, err := f.Writer.Create(ctx, system, f.project, collection.ID, core.EntryWrite{Fields: core.WrittenFields{Raw: values}})
	if err != nil {
		return err
	}
	f.facts.Wide = wideEntry{collection.ID, entry.ID}
	return nil
}
