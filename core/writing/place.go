package writing

import (
	"context"
	"errors"
	"strings"

	"imprimatur/core"
)

// place sets the collection, the locale and the translation group of a new entry. For an existing
// entry it adds a fault when in names a different locale or translation group.
func (c *composer) place(ctx context.Context, in core.EntryWrite, e *core.Entry, found *core.Faults) error {
	if e.ID != 0 {
		return c.checkPlace(ctx, in, e, found)
	}
	e.ProjectID, e.CollectionID = c.schema.Project.ID, c.schema.Collection.ID
	if e.Locale = localeOf(c.schema.Project, in.Locale); e.Locale == "" {
		found.Add("locale", core.Clip(*in.Locale), "must be a locale of the project")
	}
	if in.TranslationOf == nil {
		return nil
	}
	sibling, err := c.stores.Entries.Entry(ctx, e.ProjectID, *in.TranslationOf)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err != nil || sibling.CollectionID != e.CollectionID || !sibling.TrashedAt.IsZero() {
		found.Add("translationOf", *in.TranslationOf, "no such entry of "+c.schema.Collection.Slug)
		return nil //nolint:nilerr // the missing entry is a fault of the input, added above
	}
	e.Group = sibling.Group
	members, err := c.stores.Entries.Translations(ctx, e.ProjectID, e.Group)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Locale == e.Locale && m.TrashedAt.IsZero() {
			found.Add("locale", e.Locale, "the entry has a translation in this locale")
		} else if m.Locale == e.Locale {
			found.Add("locale", e.Locale, "the entry's translation in this locale is in the trash: restore or destroy it")
		}
	}
	return nil
}

func (c *composer) checkPlace(ctx context.Context, in core.EntryWrite, e *core.Entry, found *core.Faults) error {
	if in.Locale != nil && !strings.EqualFold(*in.Locale, e.Locale) {
		found.Add("locale", core.Clip(*in.Locale), "cannot be changed")
	}
	if in.TranslationOf == nil || *in.TranslationOf == e.Group {
		return nil
	}
	sibling, err := c.stores.Entries.Entry(ctx, e.ProjectID, *in.TranslationOf)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err != nil || sibling.Group != e.Group {
		found.Add("translationOf", *in.TranslationOf, "cannot be changed")
	}
	return nil
}

// localeOf returns the locale of a new entry: the Project's locale that equals tag without
// regard to case, the default locale for a nil tag, or "" for an unknown tag.
func localeOf(project *core.Project, tag *string) string {
	if tag == nil {
		return project.DefaultLocale
	}
	return project.LocaleNamed(*tag)
}
