package content

import "imprimatur/core"

// issue sets what the publication of e's published version records. media is its sealed media.
// The content of an approved request is the snapshot that was approved, also when the definition
// of the collection has changed since.
func (k *work) issue(e *core.Entry, media core.Document) {
	e.Issue = &core.Issue{By: k.actor.Ref()}
	e.Issue.Content, e.PublishedHash, _ = k.schema.Collection.Snapshot(e.Locale, e.Published, media)
	if r := k.released; r != nil {
		e.Issue.By, e.Issue.RequestID = r.By, r.RequestID
		if r.RequestID != 0 {
			e.Issue.Content, e.PublishedHash = r.Snapshot, r.ContentHash
		}
	}
}
