package proof

import (
	"slices"

	"imprimatur/core/canonical"
	"imprimatur/core/review"
)

// change is what a request does with one entry, as far as its terms say.
type change struct {
	collection, locale string   // canonical JSON
	actions            []string // review.ChangeAction, those that are certain
}

// skipped requires of each step that does not apply that the terms allow it: no change of the request meets every
// member of its condition. What fields a change concerns, and whether readers saw an entry before its own request,
// is not in the terms, so that a condition on them is not judged again.
func (v *verifier) skipped(o value, steps []step) {
	if v.fault != nil {
		return
	}
	var changes []change
	for _, s := range steps {
		if s.applies || s.when.member("fields").raw != nil {
			continue
		}
		if changes == nil {
			changes = v.changes(o)
		}
		for _, c := range changes {
			v.require(!v.meets(s.when, c), s.when, "is met by what the request publishes, so that the step applies")
		}
	}
}

// changes returns what the request does with its entries.
func (v *verifier) changes(o value) (changes []change) {
	members := o.member("release").member("members")
	if members.raw == nil {
		return []change{{string(v.contentMember("collection")), string(v.contentMember("locale")), []string{string(review.ChangePublish)}}}
	}
	for _, m := range v.elements(members) {
		c := change{string(m.member("collection").raw), string(m.member("locale").raw), []string{string(review.ChangeUnpublish)}}
		if m.member("action").is(`"publish"`) {
			if c.actions[0] = string(review.ChangePublish); m.member("base").raw == nil {
				c.actions = append(c.actions, string(review.ChangeFirst))
			}
		}
		changes = append(changes, c)
	}
	return changes
}

// meets reports whether c meets every member of a condition.
func (v *verifier) meets(when value, c change) bool {
	return v.names(when.member("collections"), c.collection) && v.names(when.member("locales"), c.locale) &&
		v.names(when.member("actions"), quoted(c.actions)...)
}

// names reports whether a member of a condition is left out, or has one of these values.
func (v *verifier) names(o value, values ...string) bool {
	if o.raw == nil {
		return true
	}
	return slices.ContainsFunc(v.elements(o), func(name value) bool { return slices.ContainsFunc(values, name.is) })
}

func quoted(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = string(canonical.Quote(text))
	}
	return all
}
