package content

import (
	"context"
	"errors"
	"strings"

	"imprimatur/core"
)

// place sets the locale and the translation group of a new entry.
func (k *work) place(ctx context.Context, wr Write, e *core.Entry, found *core.Faults) error {
	if e.Locale = k.localeOf(wr.Locale); e.Locale == "" {
		found.Add("locale", core.Clip(*wr.Locale), "must be a locale of the project")
	}
	if wr.TranslationOf == nil {
		return nil
	}
	sibling, err := k.stores.Entries.Entry(ctx, e.ProjectID, *wr.TranslationOf)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err != nil || sibling.CollectionID != e.CollectionID || !sibling.TrashedAt.IsZero() {
		found.Add("translationOf", *wr.TranslationOf, "no such entry of "+k.schema.Collection.Slug)
		return nil //nolint:nilerr // the missing entry is a fault of the input, added above
	}
	e.Group = sibling.Group
	members, err := k.stores.Entries.Translations(ctx, e.ProjectID, e.Group)
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

// stay adds a fault when wr names another locale or translation group than the entry has.
func (k *work) stay(ctx context.Context, wr Write, e *core.Entry, found *core.Faults) error {
	if wr.Locale != nil && !strings.EqualFold(*wr.Locale, e.Locale) {
		found.Add("locale", core.Clip(*wr.Locale), "cannot be changed")
	}
	if wr.TranslationOf == nil || *wr.TranslationOf == e.Group {
		return nil
	}
	sibling, err := k.stores.Entries.Entry(ctx, e.ProjectID, *wr.TranslationOf)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err != nil || sibling.Group != e.Group {
		found.Add("translationOf", *wr.TranslationOf, "cannot be changed")
	}
	return nil
}

// localeOf returns the locale of a new entry: the Project's locale that equals tag without
// regard to case, the default locale for nil, or "" for an unknown one.
func (k *work) localeOf(tag *string) string {
	if tag == nil {
		return k.schema.Project.DefaultLocale
	}
	return k.schema.Project.LocaleNamed(*tag)
}
