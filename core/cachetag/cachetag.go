package cachetag

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imprimatur/core/event"
	"imprimatur/core/secret"
)

// Header is a way in which shared caches read tags.
type Header string

// The ways, which are the values of --cache-tags.
const (
	Off          Header = "off"
	CacheTag     Header = "cache-tag"      // Cloudflare
	SurrogateKey Header = "surrogate-key"  // Fastly, Varnish
	EdgeCacheTag Header = "edge-cache-tag" // Akamai
)

// Headers lists the ways.
var Headers = []Header{Off, CacheTag, SurrogateKey, EdgeCacheTag}

// Name returns the name of the header, "" if tags are off.
func (h Header) Name() string {
	return map[Header]string{CacheTag: "Cache-Tag", SurrogateKey: "Surrogate-Key", EdgeCacheTag: "Edge-Cache-Tag"}[h]
}

// separator separates tags in the header.
func (h Header) separator() string {
	if h == SurrogateKey {
		return " "
	}
	return ","
}

// Scheme makes tags. A nil Scheme makes none. It is safe for concurrent use.
type Scheme struct {
	header Header
	macs   sync.Pool
}

// New returns a Scheme, nil if tags are off.
func New(header Header, key secret.Key) *Scheme {
	if header.Name() == "" {
		return nil
	}
	derived := key.Derive(secret.CacheTags)
	return &Scheme{header: header, macs: sync.Pool{New: func() any { return hmac.New(sha256.New, derived) }}}
}

// Collect returns empty dependencies for a response to collect, nil if tags are off.
func (c *Scheme) Collect() *Dependencies {
	if c == nil {
		return nil
	}
	return new(Dependencies)
}

// Header returns the name and the value of the header of a response of the Project with the
// dependencies. The name is "" if tags are off or depends is nil.
func (c *Scheme) Header(projectID int64, depends *Dependencies) (name, value string) {
	if c == nil || depends == nil {
		return "", ""
	}
	return c.header.Name(), strings.Join(c.tags(projectID, depends.All()...), c.header.separator())
}

// Of returns the tags of the responses that an event outdates; nil if there are none or tags are off.
func (c *Scheme) Of(e *event.Event) []string {
	if c == nil || e.ProjectID == 0 {
		return nil
	}
	switch e.Type.Tagged() {
	case event.TagsEntry:
		if !e.Public {
			return nil
		}
		return c.Entry(e.ProjectID, e.EntryID, e.Group, e.Collection)
	case event.TagsMedia:
		return c.Medium(e.ProjectID, e.SubjectID)
	case event.TagsDefinition:
		return c.Definition(e.ProjectID)
	case event.TagsRelease:
		return c.release(e)
	default:
		return nil
	}
}

// mostReleased bounds the tags of the event of a release.
const mostReleased = 1000

// release returns the tags of all entries of the event of a release, each once, or that of the Project if they are
// too many.
func (c *Scheme) release(e *event.Event) []string {
	if e.Released == nil {
		return nil
	}
	var tags []string
	for _, r := range e.Released.Entries {
		tags = append(tags, c.Entry(e.ProjectID, r.ID, r.Group, r.Collection)...)
	}
	slices.Sort(tags)
	if tags = slices.Compact(tags); len(tags) > mostReleased {
		return c.Definition(e.ProjectID)
	}
	return tags
}

// Entry returns the tags of the responses that a change of a published entry outdates.
func (c *Scheme) Entry(projectID, id, groupID int64, slug string) []string {
	return c.tags(projectID, Dependency{Kind: OnEntry, ID: id}, Dependency{Kind: OnGroup, ID: groupID}, Dependency{Kind: OnCollection, Slug: slug})
}

// Medium returns the tags of the responses that a change of a media item outdates.
func (c *Scheme) Medium(projectID, id int64) []string {
	return c.tags(projectID, Dependency{Kind: OnMedium, ID: id}, Dependency{Kind: OnLibrary})
}

// Definition returns the tags of the responses that a change of a definition outdates.
func (c *Scheme) Definition(projectID int64) []string {
	return c.tags(projectID, Dependency{Kind: OnProject})
}

// tags returns a tag of 11 characters for each thing: the beginning of its HMAC in base64url.
func (c *Scheme) tags(projectID int64, things ...Dependency) []string {
	if c == nil {
		return nil
	}
	mac, _ := c.macs.Get().(hash.Hash)
	defer c.macs.Put(mac)
	tags, text, sum := make([]string, len(things)), make([]byte, 0, 64), make([]byte, 0, sha256.Size)
	for i, d := range things {
		text = strconv.AppendInt(append(text[:0], byte(d.Kind), ' '), projectID, 10)
		text = append(strconv.AppendInt(append(text, ' '), d.ID, 10), ' ')
		mac.Reset()
		mac.Write(append(text, d.Slug...))
		tags[i] = base64.RawURLEncoding.EncodeToString(mac.Sum(sum[:0])[:8])
	}
	return tags
}
