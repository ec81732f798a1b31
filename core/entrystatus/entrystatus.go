package entrystatus

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// Status is the status of an entry, in one word.
type Status string

// The statuses. A review or schedule takes precedence over what readers see; see Rules.
const (
	Trashed   Status = "trashed"
	Failed    Status = "failed"    // its scheduled publication failed and is tried again
	InReview  Status = "in_review" // its request waits for a decision
	Scheduled Status = "scheduled" // it will be published at a fixed time
	SentBack  Status = "sent_back" // its latest request was sent back for revision
	Rejected  Status = "rejected"  // its latest request was rejected
	Changed   Status = "changed"   // published, and the draft has other content
	Draft     Status = "draft"     // not published
	Published Status = "published" // readers see the draft
)

// Facts is a set of facts about an entry. Its status follows from them.
type Facts uint8

// The facts.
const (
	FactTrashed   Facts = 1 << iota
	FactFailed          // the last attempt of its scheduled publication failed
	FactPending         // its latest request is pending
	FactScheduled       // its publication is scheduled, or its latest request is approved
	FactSentBack        // its latest request was sent back for revision
	FactRejected        // its latest request was rejected
	FactPublished       // it has a published version
	FactDiffers         // readers do not see the content of the draft: they see no version, or another
)

// Rule gives an entry a status if it has all facts of Needs.
type Rule struct {
	Status Status
	Needs  Facts
}

// Rules define the status of an entry: the status of the first rule that its facts satisfy.
// Stores derive the condition of a filter from the same rules.
var Rules = []Rule{
	{Trashed, FactTrashed},
	{Failed, FactFailed},
	{InReview, FactPending},
	{Scheduled, FactScheduled},
	{SentBack, FactSentBack | FactDiffers},
	{Rejected, FactRejected | FactDiffers},
	{Changed, FactPublished | FactDiffers},
	{Draft, FactDiffers},
	{Published, 0},
}

// Status returns the status of an entry with these facts.
func (f Facts) Status() Status {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return f.Has(r.Needs) })
	return Rules[i].Status // the last rule needs no facts
}

// Has reports whether f has all facts of other.
func (f Facts) Has(other Facts) bool { return f&other == other }

// Listed returns the statuses of entries outside the trash, which a list can select.
func Listed() []Status {
	var listed []Status
	for _, r := range Rules {
		if r.Status != Trashed {
			listed = append(listed, r.Status)
		}
	}
	return listed
}

// FactsOf returns the facts about e, an entry of c. library has the media items of its draft as
// they are now. latest is the status of its open or latest request, "" without one. scheduled
// is its scheduled publication, or nil.
func FactsOf(c *core.Collection, e *core.Entry, library []core.MediaItem, latest review.RequestStatus, scheduled *schedule.Schedule) (f Facts) {
	for fact, holds := range map[Facts]bool{
		FactTrashed:   !e.TrashedAt.IsZero(),
		FactFailed:    scheduled != nil && scheduled.LastFault != "",
		FactPending:   latest == review.RequestPending,
		FactScheduled: scheduled != nil || latest == review.RequestApproved,
		FactSentBack:  latest == review.RequestRevision,
		FactRejected:  latest == review.RequestRejected,
		FactPublished: e.Published != nil,
		FactDiffers:   !e.Shows(c, e.Draft, library),
	} {
		if holds {
			f |= fact
		}
	}
	return f
}
