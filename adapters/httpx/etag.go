package httpx

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

// ContentETag returns the strong entity tag of a response body. Equal bodies have equal
// tags.
func ContentETag(body []byte) string {
	digest := core.DigestOf(body)
	tag := append(make([]byte, 0, 2*len(digest)+2), '"')
	return string(append(hex.AppendEncode(tag, digest[:]), '"'))
}

// VersionETag returns the entity tag of a resource that counts its versions.
func VersionETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

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
	tags []string // strong tags; nil means no condition
}

// IfMatch parses the If-Match header of a request. Without the header, or with "*", every
// version matches. Weak tags match nothing (RFC 9110, section 13.1.1). An invalid header
// is KindBadRequest.
func IfMatch(r *http.Request) (Match, error) {
	headers := r.Header["If-Match"]
	list := strings.TrimSpace(strings.Join(headers, ","))
	if len(headers) == 0 || list == "*" {
		return Match{}, nil
	}
	m := Match{tags: []string{}}
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

// Version returns the version that a write must replace, or nil for any version. It calls
// current when the tags alone do not identify a version; current returns the present
// version and further entity tags under which the resource can be read. When no tag is
// current, Version returns KindPreconditionFailed.
func (m Match) Version(current func() (version int64, others []string, err error)) (*int64, error) {
	if m.tags == nil {
		return nil, nil
	}
	if len(m.tags) == 1 {
		if version, ok := versionOf(m.tags[0]); ok {
			return &version, nil
		}
	}
	version, others, err := current()
	if err != nil {
		return nil, err
	}
	for _, tag := range append(others, VersionETag(version)) {
		if slices.Contains(m.tags, tag) {
			return &version, nil
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
		_, ok := versionOf(tag)
		return !ok
	})
}

// versionOf is the inverse of VersionETag.
func versionOf(tag string) (version int64, ok bool) {
	version, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	return version, err == nil && VersionETag(version) == tag
}
