package httpx

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

// ContentETag returns the strong entity tag of an answer: equal bytes, equal tag.
func ContentETag(body []byte) string { return DigestETag(core.DigestOf(body)) }

// DigestETag returns the strong entity tag of the answer that has this digest.
func DigestETag(digest core.Digest) string {
	const digits = "0123456789abcdef"
	tag := make([]byte, 0, 2*len(digest)+2)
	tag = append(tag, '"')
	for _, b := range digest {
		tag = append(tag, digits[b>>4], digits[b&15])
	}
	return string(append(tag, '"'))
}

// VersionETag returns the entity tag of a thing whose writes are counted.
func VersionETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// NotModified reports whether the caller already has what etag stands for:
// If-None-Match names it, or is "*". Weak tags count, as RFC 9110 13.1.2 says.
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

// Match is the If-Match of a request: the entity tags of which one must be current.
type Match struct {
	tags []string // the strong ones; nil: no condition
}

// IfMatch reads the If-Match of a request. Without one, and with "*", any version
// will do. Weak tags match nothing, as RFC 9110 13.1.1 says; what is no list of
// entity tags is KindBadRequest.
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
	return Match{}, core.BadRequest("bad_if_match", `If-Match takes entity tags in quotes, like "7", or *`)
}

// Version returns the version that a write must find, nil for any. current is called
// when the tags do not say it by themselves: it returns the version of the thing as it
// is now, and the other entity tags that it is read under, if any. When none of the
// tags is current, Version returns KindPreconditionFailed.
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

// NeedsContent reports whether a tag may be that of a read, and not of a write.
func (m Match) NeedsContent() bool {
	return slices.ContainsFunc(m.tags, func(tag string) bool {
		_, ok := versionOf(tag)
		return !ok
	})
}

// versionOf returns the version that VersionETag made tag of.
func versionOf(tag string) (version int64, ok bool) {
	version, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	return version, err == nil && VersionETag(version) == tag
}
