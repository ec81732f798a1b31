package httpx

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/installation"
)

// ContentETag returns the strong entity tag of a response body. Equal bodies have equal
// tags.
func ContentETag(body []byte) string {
	digest := core.DigestOf(body)
	tag := append(make([]byte, 0, 2*len(digest)+2), '"')
	return string(append(hex.AppendEncode(tag, digest[:]), '"'))
}

// VersionETag returns the entity tag of a resource that counts its versions, in an epoch of the
// installation.
func VersionETag(version int64, epoch string) string {
	return EntryETag(core.EntryTag{Version: version}, epoch)
}

// EntryETag returns the entity tag of the draft of an entry. After a restore of the database a version
// can mean another draft than before. Therefore the tag names the epoch, except the first one.
func EntryETag(tag core.EntryTag, epoch string) string {
	return `"` + tag.String() + suffix(epoch) + `"`
}

// suffix is the end of the entity tags of an epoch.
func suffix(epoch string) string {
	if epoch == installation.FirstEpoch {
		return ""
	}
	return "." + epoch
}

// NotModified reports whether If-None-Match names etag or is "*". Weak tags match too
// (RFC 9110, section 13.1.2).
func NotModified(r *http.Request, etag string) bool {
	for _, header := range r.Header["If-None-Match"] {
		for tag := range strings.SplitSeq(header, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == etag || tag == "*" {
				return true
			}
		}
	}
	return false
}

// Match is the If-Match header of a request. One of its entity tags must be current.
type Match struct {
	tags  []string // strong tags; nil means no condition
	epoch string   // of the installation
}

// IfMatch parses the If-Match header of a request in an epoch of the installation. Without the header, or with "*", every
// version matches. Weak tags match nothing (RFC 9110, section 13.1.1). An invalid header
// is KindBadRequest.
func IfMatch(r *http.Request, epoch string) (Match, error) {
	headers := r.Header["If-Match"]
	list := strings.TrimSpace(strings.Join(headers, ","))
	if len(headers) == 0 || list == "*" {
		return Match{}, nil
	}
	m := Match{tags: []string{}, epoch: epoch}
	for {
		opaque, weak := strings.CutPrefix(list, "W/")
		end := strings.IndexByte(strings.TrimPrefix(opaque, `"`), '"')
		if !strings.HasPrefix(opaque, `"`) || end < 0 {
			break
		}
		tag, rest := opaque[:end+2], strings.TrimSpace(opaque[end+2:])
		if !weak {
			m.tags = append(m.tags, tag)
		}
		if rest == "" {
			return m, nil
		}
		if rest[0] != ',' {
			break
		}
		list = strings.TrimSpace(rest[1:])
	}
	return Match{}, core.BadRequest("bad_if_match", `If-Match must be * or a list of quoted entity tags, like "7"`)
}

// Entry returns the tag of what a write must replace, or nil for anything. It calls current when the tags alone
// do not identify a version; current returns the present version and further entity tags under which the
// resource can be read. When no tag is current, Entry returns KindPreconditionFailed.
func (m Match) Entry(current func() (version int64, others []string, err error)) (*core.EntryTag, error) {
	if m.tags == nil {
		return nil, nil
	}
	if len(m.tags) == 1 {
		if tag, ok := m.entryTag(m.tags[0]); ok {
			return &tag, nil
		}
	}
	version, others, err := current()
	if err != nil {
		return nil, err
	}
	for _, tag := range append(others, VersionETag(version, m.epoch)) {
		if slices.Contains(m.tags, tag) {
			return &core.EntryTag{Version: version}, nil
		}
	}
	for _, text := range m.tags {
		if tag, ok := m.entryTag(text); ok && tag.Version == version {
			return &tag, nil
		}
	}
	return nil, &core.Error{
		Kind: core.KindPreconditionFailed, Code: "precondition_failed",
		Message: "If-Match is not the ETag of the current version",
	}
}

// Tags returns the strong entity tags of the header.
func (m Match) Tags() []string { return m.tags }

// NeedsContent reports whether a tag can be one of a read response, which is not a
// version.
func (m Match) NeedsContent() bool {
	return slices.ContainsFunc(m.tags, func(tag string) bool {
		_, ok := m.entryTag(tag)
		return !ok
	})
}

// entryTag is the inverse of EntryETag.
func (m Match) entryTag(text string) (tag core.EntryTag, ok bool) {
	number, withheld, _ := strings.Cut(strings.TrimSuffix(strings.Trim(text, `"`), suffix(m.epoch)), "-")
	version, err := strconv.ParseInt(number, 10, 64)
	tag = core.EntryTag{Version: version, Withheld: withheld}
	return tag, err == nil && EntryETag(tag, m.epoch) == text
}
