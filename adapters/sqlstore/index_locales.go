package sqlstore

import (
	"context"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// serveLocales updates the locales that the index rows of a Project serve, after a change of
// its locales or fallbacks, and recounts the rows.
func (s entryStore) serveLocales(ctx context.Context, before, after *core.Project) error {
	changed := false
	for n, locale := range after.Locales {
		if n < len(before.Locales) && slices.Equal(before.FallbackChain(locale), after.FallbackChain(locale)) {
			continue
		}
		changed = true
		for _, state := range entryindex.States {
			if err := s.serveLocale(ctx, after, n, state); err != nil {
				return err
			}
		}
	}
	if !changed {
		return nil
	}
	return s.recount(ctx, after.ID)
}

// recount rebuilds the counters and buckets of a Project from its rows of entry_index.
func (s entryStore) recount(ctx context.Context, projectID int64) error {
	if err := s.empty(ctx, []string{"entry_counters", "entry_buckets"}, "project_id = $1", projectID); err != nil {
		return err
	}
	for _, text := range Recounts("project_id = $1") {
		if _, err := s.exec(ctx, text, projectID); err != nil {
			return err
		}
	}
	return nil
}

// serveLocale sets the bit of locale number n in the masks of the rows that serve it to readers
// in state, and clears it in all other rows. Of each group, the first row in the fallback
// chain serves the locale.
func (s entryStore) serveLocale(ctx context.Context, project *core.Project, n int, state core.State) error {
	mask, bit := entryindex.MaskOf(state), int64(1)<<n
	update := "UPDATE entry_index SET " + mask + " = " + mask
	rows := " WHERE project_id = $1" + onShelf("entry_index", state)
	if _, err := s.exec(ctx, update+" - $2"+rows+" AND ("+mask+" & $2) <> 0", project.ID, bit); err != nil {
		return err
	}
	ofGroup := func(alias string) string {
		return "SELECT 1 FROM entry_index " + alias + s.db.dialect.By(groupIndex) + " WHERE " +
			alias + ".project_id = entry_index.project_id AND " + alias + ".group_id = entry_index.group_id"
	}
	if state == core.StateWithDraft {
		rows += " AND NOT (shelf = " + number(int64(entryindex.Published)) + " AND EXISTS (" + ofGroup("c") +
			" AND c.shelf = " + number(int64(entryindex.Changes)) + " AND c.entry_id = entry_index.entry_id))"
	}
	var better []string
	for _, locale := range project.FallbackChain(project.Locales[n]) {
		place := number(int64(project.LocaleNumber(locale)))
		text := update + " + $2" + rows + " AND locale = " + place
		if len(better) > 0 {
			text += " AND NOT EXISTS (" + ofGroup("b") + onShelf("b", state) + " AND b.locale IN (" + strings.Join(better, ", ") + "))"
		}
		if _, err := s.exec(ctx, text, project.ID, bit); err != nil {
			return err
		}
		better = append(better, place)
	}
	return nil
}
