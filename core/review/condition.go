package review

import (
	"slices"
	"strings"

	"imprimatur/core"
)

// Condition selects the changes that a Step applies to: those that meet every member which is given. A release meets
// it if one of its members does.
type Condition struct {
	Collections []string `json:"collections,omitempty"` // slugs
	Locales     []string `json:"locales,omitempty"`     // of entries
	// Fields are the places of fields of the only one of Collections, as core.Change.Places returns them; each covers what
	// is below it. core.MediaMember are the words of media.
	Fields  []string       `json:"fields,omitempty"`
	Actions []ChangeAction `json:"actions,omitempty"`
}

// ChangeAction is what a submitted change does for readers.
type ChangeAction string

// The actions.
const (
	ChangeFirst     ChangeAction = "first"     // publishes an entry that readers do not see
	ChangePublish   ChangeAction = "publish"   // publishes an entry, also a first time
	ChangeUnpublish ChangeAction = "unpublish" // takes an entry offline
)

// ChangeActions lists all actions.
var ChangeActions = []ChangeAction{ChangeFirst, ChangePublish, ChangeUnpublish}

// SubmittedChange is what a request would change of one entry for readers.
type SubmittedChange struct {
	Collection *core.Collection // as it is now
	Locale     string
	Unpublish  bool
	First      bool // readers do not see the entry before
	// Places are those of all differences from what readers see; see core.Change.Places. Those of an entry that readers do
	// not see are of every field that has a value.
	Places []string
}

// ShownWith returns what reviewers see of doc, a version of an entry of c, with its sealed media.
func ShownWith(c *core.Collection, doc, media core.Document) core.Document {
	fields, _ := c.Shown(doc)
	return core.WithMedia(fields, c.OnlyShown(media, fields))
}

// Conditional reports whether one of the steps has a Condition.
func Conditional(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.When != nil })
}

// Judge returns the steps of a new request: those that none of the changes meets the Condition of do not apply.
func Judge(steps []Step, changes []SubmittedChange) []Step {
	judged := slices.Clone(steps)
	for i := range judged {
		when := judged[i].When
		judged[i].Skipped = when != nil && !slices.ContainsFunc(changes, func(change SubmittedChange) bool { return when.meets(&change) })
	}
	return judged
}

// unjudged reports whether w.Fields has a place that c no longer has, or withholds from reviewers, so that a change of
// it cannot be judged.
func (w *Condition) unjudged(c *core.Collection) bool {
	return slices.ContainsFunc(w.Fields, func(place string) bool { return place != core.MediaMember && !c.HasPlace(place) })
}

// meets reports whether change meets every member of w. What cannot be judged is met.
func (w *Condition) meets(change *SubmittedChange) bool {
	return w.selects(change) && (len(w.Fields) == 0 || w.unjudged(change.Collection) || slices.ContainsFunc(w.Fields, func(place string) bool {
		return slices.ContainsFunc(change.Places, func(changed string) bool { return covers(place, changed) || covers(changed, place) })
	}))
}

// selects reports whether change meets the members of w other than Fields.
func (w *Condition) selects(change *SubmittedChange) bool {
	action := func(a ChangeAction) bool {
		switch a {
		case ChangeFirst:
			return change.First && !change.Unpublish
		case ChangePublish:
			return !change.Unpublish
		default:
			return change.Unpublish
		}
	}
	return (len(w.Collections) == 0 || slices.Contains(w.Collections, change.Collection.Slug)) &&
		(len(w.Locales) == 0 || slices.Contains(w.Locales, change.Locale)) &&
		(len(w.Actions) == 0 || slices.ContainsFunc(w.Actions, action))
}

// covers reports whether the place is other or contains it.
func covers(place, other string) bool {
	return other == place || strings.HasPrefix(other, place+".")
}
