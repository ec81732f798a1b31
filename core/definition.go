package core

import (
	"maps"
	"slices"
	"strings"
)

// PublicChanges returns the changes that readers of published entries see when the definition
// before becomes after, with the location of each. It is empty when they see the same values of
// the same entries. after.Collection is nil for a deleted collection; both are nil for a change of
// the Project alone.
//
// Labels, the order of the fields and a new field, which is null everywhere, are not values. A new
// locale counts only if it changes which entries readers get for a locale tag that they could
// already use.
func PublicChanges(before, after Schema) []FieldError {
	var found Faults
	switch {
	case before.Collection == nil:
	case after.Collection == nil:
		found.Add("collection", nil, "readers no longer see its entries")
	default:
		if before.Collection.Slug != after.Collection.Slug {
			found.Add("slug", after.Collection.Slug, "readers find its entries by this slug only")
		}
		if before.Collection.Singleton && !after.Collection.Singleton {
			found.Add("singleton", false, "readers no longer get its entry without an id")
		}
		fieldChanges(before.Collection, after.Collection, &found)
	}
	localeChanges(before.Project, after.Project, &found)
	return found.List
}

// fieldChanges compares the fields whose values readers see. A field keeps its name, type and
// target collection, so the names are sufficient.
func fieldChanges(before, after *Collection, found *Faults) {
	for _, f := range before.Fields {
		if before.Queryable(f.Name) != nil && after.Queryable(f.Name) == nil {
			found.Add("fields."+f.Name, nil, "readers no longer see its values")
		} else {
			itemChanges(f, after.Field(f.Name), "fields."+f.Name, found)
		}
	}
	componentChanges(before, after, found)
	for _, f := range after.Fields {
		isNew := f.ID >= before.NextFieldID // no entry has a value for it
		if !isNew && before.Queryable(f.Name) == nil && after.Queryable(f.Name) != nil {
			found.Add("fields."+f.Name, nil, "readers see the values that its entries still have")
		}
	}
}

// itemChanges compares the items of a field that readers see, and the collections of a relation.
func itemChanges(before, after *Field, location string, found *Faults) {
	switch {
	case after == nil || after.Secret():
		return
	case before.ToSeveral():
		targetChanges(before, after, location+".collections", found)
		return
	case before.Type != TypeBlocks:
		return
	}
	for _, slug := range before.Components {
		if !slices.Contains(after.Components, slug) {
			found.Add(location+".components", slug, "readers no longer see its items of "+slug)
		}
	}
	for _, slug := range after.Components {
		if slices.Contains(before.Former, slug) && !slices.Contains(before.Components, slug) {
			found.Add(location+".components", slug, "readers see the items of "+slug+" that its entries still have")
		}
	}
}

// targetChanges compares the collections of a relation to several.
func targetChanges(before, after *Field, location string, found *Faults) {
	for _, slug := range before.Collections {
		if !slices.Contains(after.Collections, slug) {
			found.Add(location, slug, "readers no longer see its references to "+slug)
		}
	}
	for _, slug := range after.Collections {
		if slices.Contains(before.Former, slug) && !slices.Contains(before.Collections, slug) {
			found.Add(location, slug, "readers see the references to "+slug+" that its entries still have")
		}
	}
}

// componentChanges compares the components whose items entries can have.
func componentChanges(before, after *Collection, found *Faults) {
	was, is := before.Components(), after.Components()
	for _, slug := range slices.Sorted(maps.Keys(was)) {
		was, now := was[slug], is[slug]
		if now == nil {
			continue // the field that admits it has changed, too
		}
		location := "components." + slug + ".fields."
		for _, f := range was.Fields {
			kept := now.Field(f.Name)
			if kept == nil {
				found.Add(location+f.Name, nil, "readers no longer see its values")
			}
			itemChanges(f, kept, location+f.Name, found)
		}
		for _, f := range now.Fields {
			if f.ID < was.NextFieldID && was.Field(f.Name) == nil {
				found.Add(location+f.Name, nil, "readers see the values that items still have")
			}
		}
	}
}

// localeChanges compares the locales from which requests get entries. Locales that before
// does not have do not count, because they have no entries yet.
func localeChanges(before, after *Project, found *Faults) {
	if before.DefaultLocale != after.DefaultLocale {
		found.Add("defaultLocale", after.DefaultLocale, "requests without a locale get other entries")
	}
	for _, tag := range after.Locales {
		resolved, ok := before.ResolveLocale(tag)
		if !ok {
			continue // no request could use the tag
		}
		was := before.DefinedChain(resolved)
		is := slices.DeleteFunc(after.DefinedChain(tag), func(l string) bool { return before.LocaleNumber(l) < 0 })
		if !slices.Equal(was, is) {
			found.Addf("locales."+tag, nil, "readers get entries of %s instead of %s", strings.Join(is, ", "), strings.Join(was, ", "))
		}
	}
}
