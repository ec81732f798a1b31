package newsroom

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// Redefinition is a change of locales or fields.
type Redefinition struct {
	Kind  string
	Place int   // index of a locale or field among the candidates
	Chain []int // indexes of locales
}

// Redefinitions generates arguments of Apply.
var Redefinitions = rapid.Custom(func(rt *rapid.T) Redefinition {
	return Redefinition{
		Kind:  rapid.SampledFrom([]string{"locale", "default locale", "fallbacks", "add", "remove", "index", "search", "unique", "leaf"}).Draw(rt, "kind"),
		Place: rapid.IntRange(0, 5).Draw(rt, "place"),
		Chain: rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 0, 3, rapid.ID[int]).Draw(rt, "chain"),
	}
})

// spareFields lists fields that are added, removed and added again.
var spareFields = []definition.FieldInput{
	{Name: "extra", Type: core.TypeText, Searchable: true}, {Name: "rank", Type: core.TypeNumber}, {Name: "day", Type: core.TypeDate, Multiple: true},
}

// Apply changes the project or the collection. It ignores refusals, for example when
// existing entries do not fit.
func (w *Fixture) Apply(ctx context.Context, r Redefinition, collectionID int64) error {
	err := w.apply(ctx, r, collectionID)
	switch core.KindOf(err) {
	case core.KindInternal, core.KindUnavailable:
		return err
	}
	return nil
}

func (w *Fixture) apply(ctx context.Context, r Redefinition, collectionID int64) error {
	project, err := w.Stores.Projects.Project(ctx, w.Project.ID)
	if err != nil {
		return err
	}
	collection, err := w.Stores.Collections.Collection(ctx, project.ID, collectionID)
	if err != nil {
		return err
	}
	locale := func(place int) string { return project.Locales[place%len(project.Locales)] }
	spare := spareFields[r.Place%len(spareFields)]
	system := core.Actor{System: true}
	revise := func(change func(*definition.FieldInput)) error {
		texts := slices.DeleteFunc(slices.Clone(collection.Fields), func(f *core.Field) bool { return f.Type != core.TypeText || f.Multiple || f.Hidden })
		name := texts[r.Place%len(texts)].Name
		_, err := w.Collections.ReviseField(ctx, definition.Change{Actor: system, Project: project, CollectionID: collectionID, Acknowledged: true}, name, func(in definition.FieldInput) definition.FieldInput {
			change(&in)
			return in
		})
		return err
	}
	switch r.Kind {
	case "locale":
		all := []string{"en", "de", "fr", "fr-CA", "ja", "pt"}
		more := all[:min(len(project.Locales)+1, len(all))]
		return w.Change(ctx, true, func(p *core.Project) { p.Locales = more })
	case "default locale":
		return w.Change(ctx, true, func(p *core.Project) { p.DefaultLocale = locale(r.Place) })
	case "fallbacks":
		var chain []string
		for _, place := range r.Chain {
			if l := locale(place); l != locale(r.Place) && !slices.Contains(chain, l) {
				chain = append(chain, l)
			}
		}
		return w.Change(ctx, true, func(p *core.Project) { p.Fallbacks = map[string][]string{locale(r.Place): chain} })
	case "add":
		_, err = w.Collections.AddField(ctx, definition.Change{Actor: system, Project: project, CollectionID: collectionID, Acknowledged: true}, spare)
	case "remove":
		_, err = w.Collections.RemoveField(ctx, definition.Change{Actor: system, Project: project, CollectionID: collectionID, Acknowledged: true}, spare.Name)
	case "leaf":
		err = w.toggleLeaf(ctx, project)
	case "index":
		err = revise(func(in *definition.FieldInput) { in.Indexed = new(in.Indexed != nil && !*in.Indexed) })
	case "search":
		err = revise(func(in *definition.FieldInput) { in.Searchable = !in.Searchable })
	case "unique":
		err = revise(func(in *definition.FieldInput) { in.Unique = !in.Unique })
	}
	return err
}

// toggleLeaf makes the first field of the first component filterable, or not, if there is one.
func (w *Fixture) toggleLeaf(ctx context.Context, project *core.Project) error {
	components := w.Collections.Components()
	all, err := components.List(ctx, project)
	if err != nil || len(all) == 0 {
		return err
	}
	by := definition.ComponentChange{Actor: core.SystemActor, Project: project, ComponentID: all[0].ID, Acknowledged: true}
	_, err = components.ReviseField(ctx, by, all[0].Fields[0].Name, func(in definition.FieldInput) definition.FieldInput {
		in.Filterable = !in.Filterable
		return in
	})
	return err
}

// Backfill indexes all fields that are not ready.
func (w *Fixture) Backfill(ctx context.Context) error {
	for {
		if did, err := w.Collections.Backfill(ctx); err != nil || !did {
			return err
		}
	}
}
