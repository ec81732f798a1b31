package review

import (
	"cmp"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/schedule"
)

// EntryRef identifies an entry of a collection.
type EntryRef struct {
	Project      *core.Project
	CollectionID int64
	ID           int64
}

// RequestItem is what a Request publishes of one entry, as it was submitted.
type RequestItem struct {
	EntryID      int64
	CollectionID int64
	Collection   string // the slug at submission; empty in a request for one entry
	Locale       string
	Action       schedule.Action
	// BaseNumber and BaseHash are the Number and the ContentHash of the publication that readers saw at
	// submission; zero: none.
	BaseNumber int64
	BaseHash   string

	// Snapshot is the canonical JSON of {"collection", "fields", "locale", "media"} as submitted,
	// without secret fields; ContentHash is its hex SHA-256. Both are empty if the entry goes offline.
	Snapshot    []byte
	ContentHash string
	// Title is the title of the snapshot (core.Collection.Title); empty: none.
	Title        string
	TitleFieldID int // core.Collection.TitleField at submission; 0: no title
	// Changed has the paths that the item changes for readers, at most release.MaxChangedPaths.
	Changed []string
	// Withheld holds the values of secret fields, which no response contains.
	Withheld core.Document
}

// Item returns the item of a request to publish one entry. It is the zero RequestItem for a release.
func (r *Request) Item() *RequestItem {
	if r.Release != nil {
		return &RequestItem{}
	}
	return &r.Items[0]
}

// ItemOf returns the item of an entry, or nil.
func (r *Request) ItemOf(entryID int64) *RequestItem {
	i, found := slices.BinarySearchFunc(r.Items, entryID, func(i RequestItem, id int64) int { return cmp.Compare(i.EntryID, id) })
	if !found {
		return nil
	}
	return &r.Items[i]
}

// EntryIDs returns the ids of the entries of the items.
func (r *Request) EntryIDs() []int64 {
	ids := make([]int64, len(r.Items))
	for i := range r.Items {
		ids[i] = r.Items[i].EntryID
	}
	return ids
}

// Title returns the title of the item, or the name of the release.
func (r *Request) Title() string {
	if r.Release != nil {
		return r.Release.Name
	}
	return r.Item().Title
}

// ContentHash returns the hash of the content that is decided, which its actions name: that of its
// release, or of its item.
func (r *Request) ContentHash() string {
	if r.Release != nil {
		return r.Release.ContentHash
	}
	return r.Item().ContentHash
}

// Intact reports whether the snapshot still has the hash that was approved.
func (i *RequestItem) Intact() bool {
	if i.Action == schedule.Unpublish {
		return len(i.Snapshot) == 0 && i.ContentHash == ""
	}
	return canonical.Hash(i.Snapshot) == i.ContentHash
}

// Fields returns the snapshot's fields.
func (i *RequestItem) Fields() core.Document {
	return core.Document(core.Document(i.Snapshot).Values()["fields"])
}

// Media returns the snapshot's sealed media; nil: none.
func (i *RequestItem) Media() core.Document {
	return core.Document(core.Document(i.Snapshot).Value("media"))
}

// Seals reports whether the snapshot is sealed with a media item, also in what the definition withholds by now.
func (i *RequestItem) Seals(mediaID int64) bool {
	return i.Media().Value(strconv.FormatInt(mediaID, 10)) != nil
}

// References returns what the version to publish refers to, with the fields that no reader sees
// unless public is true. c is the collection of the item.
func (i *RequestItem) References(c *core.Collection, public bool) core.References {
	if public {
		return c.References(i.Fields())
	}
	return c.AllReferences(i.Fields(), i.Withheld)
}

// Release returns what becomes public when by publishes the item of the request: the fields of the
// snapshot, its sealed media, and the withheld values of fields that are still secret in c. A
// value that was never shown to reviewers does not become visible, not even when a field that
// was removed meanwhile is added again.
func (i *RequestItem) Release(requestID int64, c *core.Collection, by core.ActorRef) NextVersion {
	doc := i.Fields() // shares the memory of the snapshot, which can be large
	if withheld := i.Withheld.Values(); len(withheld) > 0 {
		values := doc.Values()
		for name, value := range withheld {
			if f := c.Field(name); f != nil && f.Secret() {
				values[name] = value
			}
		}
		doc = core.NewDocument(values)
	}
	return NextVersion{
		Document: doc, Media: i.Media(), By: by,
		RequestID: requestID, Snapshot: i.Snapshot, ContentHash: i.ContentHash,
	}
}

// Subject is what requests are about: an EntryRef or a ReleaseRef.
type Subject interface {
	// In returns the Project.
	In() *core.Project
	// Has reports whether r is a request about the subject.
	Has(r *Request) bool
}

// ItemRef names one item of the requests about a subject.
type ItemRef interface {
	Of() Subject
	// Entry returns the id of the entry of the item.
	Entry() int64
}

// MemberRef names a member of a release. It implements ItemRef.
type MemberRef struct {
	Release ReleaseRef
	EntryID int64
}

// Of implements ItemRef.
func (ref MemberRef) Of() Subject { return ref.Release }

// Entry implements ItemRef.
func (ref MemberRef) Entry() int64 { return ref.EntryID }

// Of implements ItemRef.
func (ref EntryRef) Of() Subject { return ref }

// Entry implements ItemRef.
func (ref EntryRef) Entry() int64 { return ref.ID }

// In implements Subject.
func (ref EntryRef) In() *core.Project { return ref.Project }

// Has implements Subject.
func (ref EntryRef) Has(r *Request) bool {
	item := r.Item()
	return r.Release == nil && item.EntryID == ref.ID && item.CollectionID == ref.CollectionID
}

// ReleaseRef identifies a release.
type ReleaseRef struct {
	Project *core.Project
	ID      int64
}

// In implements Subject.
func (ref ReleaseRef) In() *core.Project { return ref.Project }

// Has implements Subject.
func (ref ReleaseRef) Has(r *Request) bool { return r.Release != nil && r.Release.ID == ref.ID }

// ApprovalSummary is the part of an approval request that responses with its entry contain.
type ApprovalSummary struct {
	ID            int64
	Status        RequestStatus
	ReleaseNumber string
}
