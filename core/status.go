package core

import "slices"

// EntryStatus is the status of an entry, in one word.
type EntryStatus string

// The statuses. A review or schedule takes precedence over what readers see; see StatusRules.
const (
	StatusTrashed   EntryStatus = "trashed"
	StatusFailed    EntryStatus = "failed"    // its scheduled publication failed and is tried again
	StatusInReview  EntryStatus = "in_review" // its request waits for a decision
	StatusScheduled EntryStatus = "scheduled" // it will be published at a fixed time
	StatusSentBack  EntryStatus = "sent_back" // its latest request was sent back for revision
	StatusRejected  EntryStatus = "rejected"  // its latest request was rejected
	StatusChanged   EntryStatus = "changed"   // published, and the draft has other content
	StatusDraft     EntryStatus = "draft"     // not published
	StatusPublished EntryStatus = "published" // readers see the draft
)

// EntryFacts is a set of facts about an entry. Its status follows from them.
type EntryFacts uint8

// The facts.
const (
	FactTrashed   EntryFacts = 1 << iota
	FactFailed               // the last attempt of its scheduled publication failed
	FactPending              // its latest request is pending
	FactScheduled            // its publication is scheduled, or its latest request is approved
	FactSentBack             // its latest request was sent back for revision
	FactRejected             // its latest request was rejected
	FactPublished            // it has a published version
	FactDiffers              // readers do not see the content of the draft: they see no version, or another
)

// StatusRule gives an entry a status if it has all facts of Needs.
type StatusRule struct {
	Status EntryStatus
	Needs  EntryFacts
}

// StatusRules define the status of an entry: the status of the first rule that its facts satisfy.
// Stores derive the condition of a filter from the same rules.
var StatusRules = []StatusRule{
	{StatusTrashed, FactTrashed},
	{StatusFailed, FactFailed},
	{StatusInReview, FactPending},
	{StatusScheduled, FactScheduled},
	{StatusSentBack, FactSentBack | FactDiffers},
	{StatusRejected, FactRejected | FactDiffers},
	{StatusChanged, FactPublished | FactDiffers},
	{StatusDraft, FactDiffers},
	{StatusPublished, 0},
}

// Status returns the status of an entry with these facts.
func (f EntryFacts) Status() EntryStatus {
	i := slices.IndexFunc(StatusRules, func(r StatusRule) bool { return f.Has(r.Needs) })
	return StatusRules[i].Status // the last rule needs no facts
}

// Has reports whether f has all facts of other.
func (f EntryFacts) Has(other EntryFacts) bool { return f&other == other }

// ListedStatuses returns the statuses of entries outside the trash, which a list can select.
func ListedStatuses() []EntryStatus {
	var listed []EntryStatus
	for _, r := range StatusRules {
		if r.Status != StatusTrashed {
			listed = append(listed, r.Status)
		}
	}
	return listed
}

// FactsOf returns the facts about e, an entry of c. library has the media items of its draft as
// they are now. latest is the status of its open or latest request, "" without one. scheduled
// is its scheduled publication, or nil.
func FactsOf(c *Collection, e *Entry, library []MediaItem, latest RequestStatus, scheduled *Schedule) (f EntryFacts) {
	for fact, holds := range map[EntryFacts]bool{
		FactTrashed:   !e.TrashedAt.IsZero(),
		FactFailed:    scheduled != nil && scheduled.LastFault != "",
		FactPending:   latest == RequestPending,
		FactScheduled: scheduled != nil || latest == RequestApproved,
		FactSentBack:  latest == RequestRevision,
		FactRejected:  latest == RequestRejected,
		FactPublished: e.Published != nil,
		FactDiffers:   !e.Shows(c, e.Draft, library),
	} {
		if holds {
			f |= fact
		}
	}
	return f
}
