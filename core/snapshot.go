package core

import (
	"encoding/json"

	"imprimatur/core/canonical"
)

// Snapshot returns the canonical JSON (RFC 8785) of {"collection", "fields", "locale", "media"}
// for a version of an entry of c, its hex SHA-256, and the values of secret fields, which the
// snapshot leaves out. media is the result of Seal for the items of c.MediaIDs(doc); with nil the
// snapshot has no member "media". The collection is its key, so that another slug seals nothing else. Neither the snapshot nor withheld contains values of removed
// fields. Equal content has equal hashes; the time of the write and its author do not matter.
func (c *Collection) Snapshot(locale string, doc, media Document) (snapshot []byte, hash string, withheld Document) {
	shown, withheld := c.Shown(doc)
	members := map[string]json.RawMessage{
		"collection": canonical.Quote(c.Key()), "fields": json.RawMessage(shown), "locale": canonical.Quote(locale),
	}
	if media != nil {
		members["media"] = json.RawMessage(media)
	}
	snapshot = NewDocument(members)
	return snapshot, canonical.Hash(snapshot), withheld
}

// Shown splits doc into the values that a snapshot contains and the values of secret fields.
// Neither part contains values of removed fields, nor items that their fields do not admit.
func (c *Collection) Shown(doc Document) (shown, secret Document) {
	if c.Structured() {
		doc = c.Present(doc)
	}
	whole := len(doc) > 0
	doc.Each(func(name, _ []byte) {
		f := c.Field(string(name))
		whole = whole && f != nil && !f.Secret()
	})
	if whole {
		return doc, NewDocument(nil)
	}
	shownValues, secretValues := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, value := range doc.Values() {
		switch f := c.Field(name); {
		case f == nil:
		case f.Secret():
			secretValues[name] = value
		default:
			shownValues[name] = value
		}
	}
	return NewDocument(shownValues), NewDocument(secretValues)
}
