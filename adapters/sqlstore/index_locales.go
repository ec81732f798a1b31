package sqlstore

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
)

// serveLocales corrects which locales the rows of a Project's index serve, after
// its locales or what they fall back to changed, and counts the rows anew.
func (s entryStore) serveLocales(ctx context.Context, before, after *core.Project) error {
	changed := false
	for n, locale := range after.Locales {
		if n < len(before.Locales) && slices.Equal(before.FallbackChain(locale), after.FallbackChain(locale)) {
			continue
		}
		changed = true
		if err := s.serveLocale(ctx, after, n); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return s.recount(ctx, after.ID)
}

// recount makes the counters and tallies of a Project from its rows of entry_index.
func (s entryStore) recount(ctx context.Context, projectID int64) error {
	for _, text := range append([]string{"DELETE FROM entry_counters WHERE project_id = $1", "DELETE FROM entry_tallies WHERE project_id = $1"}, Recounts("project_id = $1")...) {
		if _, err := s.exec(ctx, text, projectID); err != nil {
			return err
		}
	}
	return nil
}

// serveLocale sets the bit of locale number n in the rows that answer for it, which
// are the best of their group, and takes it from all others.
func (s entryStore) serveLocale(ctx context.Context, project *core.Project, n int) error {
	bit := int64(1) << n
	if _, err := s.exec(ctx, "UPDATE entry_index SET serves = serves - $2 WHERE project_id = $1 AND (serves & $2) <> 0", project.ID, bit); err != nil {
		return err
	}
	var better []string
	for _, locale := range project.FallbackChain(project.Locales[n]) {
		place := number(int64(project.LocaleNumber(locale)))
		text := "UPDATE entry_index SET serves = serves + $2 WHERE project_id = $1 AND locale = " + place
		if len(better) > 0 {
			text += " AND NOT EXISTS (SELECT 1 FROM entry_index b" + s.db.dialect.ByGroup() + " WHERE b.project_id = entry_index.project_id AND b.group_id = entry_index.group_id" +
				" AND b.state = entry_index.state AND b.locale IN (" + strings.Join(better, ", ") + "))"
		}
		if _, err := s.exec(ctx, text, project.ID, bit); err != nil {
			return err
		}
		better = append(better, place)
	}
	return nil
}
