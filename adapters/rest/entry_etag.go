package rest

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/query"
)

// singleRead are the parameters of a single read.
type singleRead struct {
	query.Shape

	locale string // of the read of an entry by its id; empty: none
}

// maxTaggedFields is the length in bytes of the longest parameter fields in an entity tag. Proxies
// refuse responses with long headers.
const maxTaggedFields = 1 << 10

// entryETag returns the entity tag of a single read. If the read has fields, a depth, alternates, referrers or a
// locale, the tag contains its parameters: If-Match accepts tags of reads, and the service must repeat the
// read to compare. If-Match does not accept the tag of a read with longer fields than maxTaggedFields.
func entryETag(read singleRead, body []byte) string {
	tag := httpx.ContentETag(body)
	if read.Fields == "" && read.Depth == nil && !read.Alternates && read.Referrers == "" && read.locale == "" || len(read.Fields)+len(read.Referrers) > maxTaggedFields {
		return tag
	}
	depth := ""
	if read.Depth != nil {
		depth = strconv.FormatInt(*read.Depth, 10)
	}
	parts := []string{strings.TrimSuffix(tag, `"`), encoded(read.Fields), depth, strconv.FormatBool(read.Timestamps)}
	if read.Alternates || read.locale != "" || read.Referrers != "" {
		parts = append(parts, strconv.FormatBool(read.Alternates), encoded(read.locale))
	}
	if read.Referrers != "" {
		parts = append(parts, encoded(read.Referrers))
	}
	return strings.Join(parts, ".") + `"`
}

func encoded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// decoded returns the text of encoded, and false if there is none.
func decoded(part string) (string, bool) {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return string(text), err == nil && core.ValidText(string(text))
}

// readOf returns the parameters in a tag of entryETag, and false if the tag has none.
func readOf(tag string) (singleRead, bool) {
	parts := strings.Split(strings.Trim(tag, `"`), ".")
	if len(parts) != 4 && len(parts) != 6 && len(parts) != 7 {
		return singleRead{}, false
	}
	fields, ok := decoded(parts[1])
	read := singleRead{Shape: query.Shape{Fields: fields, Timestamps: parts[3] == "true", Bounded: true}}
	if depth, numeric := strconv.ParseInt(parts[2], 10, 64); numeric == nil {
		read.Depth = &depth
	}
	if len(parts) >= 6 {
		locale, valid := decoded(parts[5])
		read.Alternates, read.locale, ok = parts[4] == "true", locale, ok && valid
	}
	if len(parts) == 7 {
		referrers, valid := decoded(parts[6])
		read.Referrers, ok = referrers, ok && valid
	}
	return read, ok
}

// maxReads bounds the reads that one If-Match header causes.
const maxReads = 4

// readsOf returns the reads whose tags can be among tags.
func readsOf(tags []string) ([]singleRead, error) {
	reads := []singleRead{{Shape: query.Shape{Bounded: true}}, {Shape: query.Shape{Timestamps: true, Bounded: true}}}
	for _, tag := range tags {
		read, ok := readOf(tag)
		if !ok || slices.ContainsFunc(reads, func(s singleRead) bool { return reflect.DeepEqual(s, read) }) {
			continue
		}
		if len(reads) == maxReads {
			return nil, core.BadRequest("bad_if_match", "If-Match must not have the ETags of more than %d reads with different parameters", maxReads-2)
		}
		reads = append(reads, read)
	}
	return reads, nil
}
