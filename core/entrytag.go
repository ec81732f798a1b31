package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// EntryTag is what a client knows of the entry that it changes. Writes that name one are refused if the entry
// is another one by now.
type EntryTag struct {
	Version int64
	// Withheld is WithheldTag of the draft that the client has read; empty: nothing was withheld from it, or it
	// names the version alone.
	Withheld string
}

// String returns "7", or "7-9f86d081884c" while parts are withheld.
func (t EntryTag) String() string {
	text := strconv.FormatInt(t.Version, 10)
	if t.Withheld != "" {
		text += "-" + t.Withheld
	}
	return text
}

// Of reports whether t is a tag of e, an entry of c.
func (t EntryTag) Of(e *Entry, c *Collection) bool {
	return t.Version == e.Version && (t.Withheld == "" || t.Withheld == c.WithheldTag(e.Draft))
}

// WithheldTag identifies the parts of doc that a client does not see and would overwrite when the definition
// admits them again, which is no new version of the entry: the parts of Withheld, and the references to former
// collections. It is empty if there are none.
func (c *Collection) WithheldTag(doc Document) string {
	var parts []string
	for _, w := range c.Withheld(doc) {
		parts = append(parts, w.at())
	}
	for _, f := range c.Fields {
		if f.ToSeveral() && len(f.Former) > 0 && len(doc.Value(f.Name)) > 0 {
			parts = append(parts, f.Name+" "+strings.Join(f.Former, " "))
		}
	}
	if parts == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:6])
}
