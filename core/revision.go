package core

import (
	"encoding/json"
	"slices"
	"time"

	"imprimatur/core/fieldtype"
)

// revisionGap is the time after which a further write by the same actor starts a new revision.
const revisionGap = 10 * time.Minute

// Revision is one state of the draft of an entry: the result of one or more writes by one actor
// that followed each other. The newest revision is stored with its entry (Entry.Revision), because
// every write of the draft changes it. Past revisions are rows of a RevisionStore and do not
// change, except that pruning changes Undo.
type Revision struct {
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	RevisionRecord
}

// RevisionRecord has the members of a Revision that are stored as one JSON text.
type RevisionRecord struct {
	Number      int64  `json:"number"`      // from 1 in each entry; pruning leaves gaps
	ContentHash string `json:"contentHash"` // see Collection.Snapshot
	// Changed has the names of the fields that the writes changed, secret ones included, in the
	// order of the collection.
	Changed   []string        `json:"changed,omitempty"`
	Note      string          `json:"note,omitempty"`
	CreatedAt Instant         `json:"createdAt"`
	UpdatedAt Instant         `json:"updatedAt"`
	By        ActorRef        `json:"by"`
	Closed    bool            `json:"closed,omitempty"` // no further write extends it
	Kept      bool            `json:"kept,omitempty"`   // a request or a publication refers to it: it is never pruned
	Media     json.RawMessage `json:"media,omitempty"`  // the sealed media of the draft at the last write
	// Undo turns the content of this revision into the content of the one before; see
	// RevisionContent. It has no meaning in the oldest revision.
	Undo Delta `json:"undo,omitempty"`
	// Contributors has the persons with writes of the draft that no publication contains, in the
	// order of their first such write. Only the newest revision of an entry has Contributors and
	// Submitted, so that pruning never removes them.
	Contributors []Contributor `json:"contributors,omitempty"`
	// Submitted is the number of the revision that the latest request submitted; 0: none.
	Submitted int64 `json:"submitted,omitempty"`
}

// Contributor is a user with writes of the draft of an entry, or a token that a user created.
type Contributor struct {
	ActorRef
	Revision int64 `json:"revision"` // the number of the newest revision with such a write
}

// Contribute adds by to r.Contributors, as the author of a write that belongs to r. An actor
// without a person, such as the system or an operator's token, does not count.
func (r *RevisionRecord) Contribute(by ActorRef) {
	if by.Person() == 0 {
		return
	}
	for i, c := range r.Contributors {
		if c.Same(by) {
			r.Contributors[i] = Contributor{by, r.Number}
			return
		}
	}
	r.Contributors = append(r.Contributors, Contributor{by, r.Number})
}

// Release removes the contributors whose writes are all in the revisions up to through, because a
// publication contains these.
func (r *RevisionRecord) Release(through int64) {
	r.Contributors = slices.DeleteFunc(r.Contributors, func(c Contributor) bool { return c.Revision <= through })
}

// ContributorsOf returns the contributors in the encoded newest revision of an entry.
func ContributorsOf(newest Document) ([]ActorRef, error) {
	refs := []ActorRef{}
	if newest == nil {
		return refs, nil
	}
	r, err := DecodeRevision(newest)
	for _, c := range r.Contributors {
		refs = append(refs, c.ActorRef)
	}
	return refs, err
}

// Instant is a time in milliseconds since the Unix epoch.
type Instant int64

// InstantOf returns t as an Instant.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Time returns i in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// Encode returns the stored form of r.
func (r *RevisionRecord) Encode() Document {
	stored, err := EncodeJSON(r)
	if err != nil {
		panic(err) // every member can be encoded
	}
	return stored
}

// DecodeRevision is the inverse of Encode.
func DecodeRevision(stored Document) (r RevisionRecord, err error) {
	err = json.Unmarshal(stored, &r)
	return r, err
}

// Extends reports whether a write by that actor at that time belongs to r, the newest revision of
// its entry, instead of a new one.
func (r *RevisionRecord) Extends(by ActorRef, at time.Time) bool {
	return !r.Closed && r.By.Same(by) && at.Sub(r.UpdatedAt.Time()) < revisionGap
}

// RevisionContent returns the content that a revision restores, as canonical JSON. The member
// "fields" is the draft with the values of hidden and removed fields, but without passwords. The
// member "media" is the sealed media of the draft; it is omitted if media is nil.
func (c *Collection) RevisionContent(draft, media Document) Document {
	fields := c.without(draft, func(f *Field) bool {
		t := fieldtype.Of(f.Type)
		return t != nil && t.Secret
	})
	members := map[string]json.RawMessage{"fields": json.RawMessage(fields)}
	if media != nil {
		members["media"] = json.RawMessage(media)
	}
	return NewDocument(members)
}

// ChangedFields returns the names of c's fields with different values in two documents, in the
// order of c. An empty list counts as no value.
func (c *Collection) ChangedFields(before, after Document) []string {
	var changed []string
	was, is := before.Values(), after.Values()
	for _, f := range c.Fields {
		if string(orNone(was[f.Name])) != string(orNone(is[f.Name])) {
			changed = append(changed, f.Name)
		}
	}
	return changed
}

// InOrder returns names, each once, in the order of c's fields. Names without a field come last.
func (c *Collection) InOrder(names []string) []string {
	var ordered []string
	for _, f := range c.Fields {
		if slices.Contains(names, f.Name) {
			ordered = append(ordered, f.Name)
		}
	}
	for _, name := range names {
		if !slices.Contains(ordered, name) {
			ordered = append(ordered, name)
		}
	}
	return ordered
}

func orNone(value json.RawMessage) json.RawMessage {
	if string(value) == "[]" {
		return nil
	}
	return value
}

// PruneRevisions selects the revisions to remove: the ones that are numbered at most through and
// not kept. It returns their numbers, and the remaining revisions with a new Undo, because their
// predecessor is removed. all has consecutive revisions of one entry in ascending order. Its first
// element is the oldest revision, or is not removed; its last element is not removed.
func PruneRevisions(all []Revision, through int64) (changed []Revision, removed []int64) {
	var undo []Delta // of the removed revisions since the last remaining one, oldest first
	first := true    // no older revision remains
	for _, r := range all {
		if r.Number <= through && !r.Kept {
			removed = append(removed, r.Number)
			undo = append(undo, r.Undo)
			continue
		}
		if len(undo) > 0 && !first {
			for _, u := range slices.Backward(undo) {
				r.Undo = r.Undo.Then(u)
			}
			changed = append(changed, r)
		}
		undo, first = undo[:0], false
	}
	return changed, removed
}

// RevisionKey identifies a revision in a Project.
type RevisionKey struct{ EntryID, Number int64 }

// RevisionQuery selects past revisions of an entry, newest first.
type RevisionQuery struct {
	ProjectID int64
	EntryID   int64
	From      int64 // the least number
	Offset    int64
	Limit     int64 // 0: all
}

// PastRevision is a revision with its content: the fields, and the sealed media.
type PastRevision struct {
	RevisionRecord

	Fields, Media Document
}

// WithoutSecrets returns the names of fields without those of secret fields.
func (c *Collection) WithoutSecrets(names []string) []string {
	return slices.DeleteFunc(append([]string{}, names...), func(name string) bool {
		return slices.ContainsFunc(slices.Concat(c.Fields, c.Removed), func(f *Field) bool { return f.Name == name && f.Secret() })
	})
}

// FieldBy is a field that an assistant changed.
type FieldBy struct {
	Field string
	By    ActorRef
}

// AssistantFields returns the fields of c that assistants changed in the revisions of an entry, which are in the order
// from the newest to the oldest, after the version with the content hash base up to the one with the hash submitted.
// Without base it begins with the oldest revision, and without submitted it ends with the newest. By is the last assistant
// of a field. Secret fields are not among them.
func (c *Collection) AssistantFields(revisions []RevisionRecord, base, submitted string) []FieldBy {
	last := map[string]ActorRef{}
	for _, r := range revisions {
		if submitted != "" && r.ContentHash != submitted {
			continue
		}
		submitted = ""
		if base != "" && r.ContentHash == base {
			break
		}
		if r.By.Kind != KindAssistant {
			continue
		}
		for _, name := range r.Changed {
			if _, known := last[name]; !known {
				last[name] = r.By
			}
		}
	}
	found := []FieldBy{}
	for _, f := range c.Fields {
		if by, changed := last[f.Name]; changed && !f.Secret() {
			found = append(found, FieldBy{f.Name, by})
		}
	}
	return found
}
