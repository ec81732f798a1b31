package rest

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// maxTaggedFields is the length in bytes of the longest parameter fields in an entity tag. Proxies
// refuse responses with long headers.
const maxTaggedFields = 1 << 10

// entryETag returns the entity tag of a single read. If the read has fields or a depth, the tag
// contains its parameters: If-Match accepts tags of reads, and the service must repeat the read to
// compare. If-Match does not accept the tag of a read with longer fields than maxTaggedFields.
func entryETag(shape core.Shape, body []byte) string {
	tag := httpx.ContentETag(body)
	if shape.Fields == "" && shape.Depth == nil || len(shape.Fields) > maxTaggedFields {
		return tag
	}
	depth := ""
	if shape.Depth != nil {
		depth = strconv.FormatInt(*shape.Depth, 10)
	}
	parts := []string{strings.TrimSuffix(tag, `"`), base64.RawURLEncoding.EncodeToString([]byte(shape.Fields)), depth, strconv.FormatBool(shape.Timestamps)}
	return strings.Join(parts, ".") + `"`
}

// shapeOf returns the parameters in a tag of entryETag, and false if the tag has none.
func shapeOf(tag string) (core.Shape, bool) {
	parts := strings.Split(strings.Trim(tag, `"`), ".")
	if len(parts) != 4 {
		return core.Shape{}, false
	}
	fields, err := base64.RawURLEncoding.DecodeString(parts[1])
	shape := core.Shape{Fields: string(fields), Timestamps: parts[3] == "true", Bounded: true}
	if depth, numeric := strconv.ParseInt(parts[2], 10, 64); numeric == nil {
		shape.Depth = &depth
	}
	return shape, err == nil && core.ValidText(shape.Fields)
}

// maxShapes bounds the reads that one If-Match header causes.
const maxShapes = 4

// shapesOf returns the shapes of the reads whose tags can be among tags.
func shapesOf(tags []string) ([]core.Shape, error) {
	shapes := []core.Shape{{Bounded: true}, {Timestamps: true, Bounded: true}}
	for _, tag := range tags {
		shape, ok := shapeOf(tag)
		if !ok || slices.ContainsFunc(shapes, func(s core.Shape) bool { return reflect.DeepEqual(s, shape) }) {
			continue
		}
		if len(shapes) == maxShapes {
			return nil, core.BadRequest("bad_if_match", "If-Match must not have the ETags of more than %d reads with different fields or depth", maxShapes-2)
		}
		shapes = append(shapes, shape)
	}
	return shapes, nil
}
