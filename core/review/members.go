package review

import (
	"cmp"
	"slices"

	"imprimatur/core/canonical"
	"imprimatur/core/schedule"
)

// RequestRelease is the release that a Request publishes: its items together.
type RequestRelease struct {
	ID   int64
	Name string // at submission
	// ContentHash is the ReleaseHash of the request at submission.
	ContentHash string
}

// RecordedMember is the JSON of an item of a release in its ContentHash and in records: what happens to
// an entry, without its content.
type RecordedMember struct {
	Entry      int64           `json:"entry"`
	Collection string          `json:"collection"` // its slug at submission
	Locale     string          `json:"locale"`
	Action     schedule.Action `json:"action"`
	Hash       string          `json:"hash,omitempty"` // of the content that becomes public
	Base       *MemberBase     `json:"base,omitempty"` // nil: no version was public
}

// MemberBase is the publication that readers saw of the entry of a RecordedMember at submission.
type MemberBase struct {
	Number int64  `json:"number"`
	Hash   string `json:"hash"`
}

// MembersOf returns the members of items, by ascending entry id.
func MembersOf(items []RequestItem) []RecordedMember {
	members := make([]RecordedMember, len(items))
	for i := range items {
		item := &items[i]
		members[i] = RecordedMember{Entry: item.EntryID, Collection: item.Collection, Locale: item.Locale, Action: item.Action, Hash: item.ContentHash}
		if item.BaseNumber != 0 {
			members[i].Base = &MemberBase{item.BaseNumber, item.BaseHash}
		}
	}
	slices.SortFunc(members, func(a, b RecordedMember) int { return cmp.Compare(a.Entry, b.Entry) })
	return members
}

// ReleaseHash returns the hex SHA-256 of the canonical JSON (RFC 8785) of a release with members, which
// are in the order of MembersOf. It covers all content by its hashes.
func ReleaseHash(id int64, name string, members []RecordedMember) string {
	type release struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	return canonical.HashOf(struct {
		Release release          `json:"release"`
		Members []RecordedMember `json:"members"`
	}{release{id, name}, members})
}
