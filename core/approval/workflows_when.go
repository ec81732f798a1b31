package approval

import (
	"fmt"
	"regexp"
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
)

const (
	maxNames = 100 // of each member of a condition
	maxPlace = 500 // bytes

	aSlug = "a slug of a collection"
)

var placeOfField = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*)(\.[A-Za-z_][A-Za-z0-9_-]*)*$`)

// when adds the faults of a condition. It does not check whether what the condition names exists: a department has
// Projects with different collections.
func (f *faults) when(location string, when *review.Condition) {
	if when == nil {
		return
	}
	if when.Collections == nil && when.Locales == nil && when.Fields == nil && when.Actions == nil {
		f.Add(location, nil, "must have collections, locales, fields or actions; without a condition the step applies to every change")
	}
	f.names(location+".collections", when.Collections, aSlug, validName)
	f.names(location+".locales", when.Locales, "a locale", validName)
	f.names(location+".fields", when.Fields, "the place of a field, such as seo.title, or "+core.MediaMember, func(place string) bool {
		return place == core.MediaMember || len(place) <= maxPlace && placeOfField.MatchString(place)
	})
	if when.Fields != nil && len(when.Collections) != 1 {
		f.Add(location+".fields", nil, "need exactly one collection")
	}
	f.names(location+".actions", texts(when.Actions), "first, publish or unpublish", func(action string) bool {
		return slices.Contains(review.ChangeActions, review.ChangeAction(action))
	})
}

// validName reports whether a text can be a slug or a locale.
func validName(text string) bool { return slug.MatchString(text) }

var slug = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// names adds the faults of a member of a condition, which may be nil. what says what each name must be.
func (f *faults) names(location string, names []string, what string, valid func(string) bool) {
	switch {
	case names == nil:
		return
	case len(names) == 0:
		f.Add(location, nil, "must not be empty")
	case len(names) > maxNames:
		f.Addf(location, nil, "must have at most %d elements", maxNames)
		return
	}
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", location, i)
		switch {
		case !valid(name):
			f.Add(at, core.Clip(name), "must be "+what)
		case slices.Contains(names[:i], name):
			f.Add(at, name, "is named twice")
		}
	}
}

// texts returns values as texts; nil for nil.
func texts[T ~string](values []T) []string {
	if values == nil {
		return nil
	}
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}
