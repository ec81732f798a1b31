package core

// Version is what reviewers see of a version of an entry: its fields without secret ones, and the sealed media that
// these name, as in a snapshot.
type Version struct {
	Fields Document
	Media  Document // nil: none
}

// VersionOf returns what reviewers see of a stored version of an entry of c. If c is nil, it returns all fields and media.
func (c *Collection) VersionOf(doc, media Document) Version {
	if c == nil {
		return Version{NewDocument(doc.Values()), media}
	}
	fields, _ := c.Shown(doc)
	return Version{c.WithSlugs(fields), c.OnlyShown(media, fields)}
}

// Document returns the fields with the sealed media as their MediaMember; {} if v is nil.
func (v *Version) Document() Document {
	if v == nil {
		return NewDocument(nil)
	}
	return WithMedia(v.Fields, v.Media)
}
