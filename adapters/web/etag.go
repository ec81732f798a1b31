package web

import (
	"net/http"
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

// IfMatch returns the version that the caller's If-Match asks for, nil when there is
// none or it is "*". A tag that can be no version of ours, a weak one included,
// is KindPreconditionFailed; what is no entity tag, or more than one, KindBadRequest.
func IfMatch(r *http.Request) (*int64, error) {
	headers := r.Header["If-Match"]
	if len(headers) == 0 || len(headers) == 1 && strings.TrimSpace(headers[0]) == "*" {
		return nil, nil
	}
	tag := strings.TrimSpace(headers[0])
	opaque := strings.TrimPrefix(tag, "W/")
	if len(headers) > 1 || len(opaque) < 2 || strings.Count(opaque, `"`) != 2 ||
		opaque[0] != '"' || opaque[len(opaque)-1] != '"' {
		return nil, core.BadRequest("bad_if_match", `If-Match takes one entity tag in quotes, like "7"`)
	}
	version, err := strconv.ParseInt(opaque[1:len(opaque)-1], 10, 64)
	if err != nil || VersionETag(version) != tag {
		return nil, &core.Error{
			Kind: core.KindPreconditionFailed, Code: "precondition_failed",
			Message: "If-Match is not the ETag of the current version",
		}
	}
	return &version, nil
}
