package rest

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// entryETag returns the entity tag of a single read. If the read has fields or a depth, the tag
// contains its parameters: If-Match accepts tags of reads, and the service must repeat the read to
// compare.
func entryETag(shape core.Shape, body []byte) string {
	tag := httpx.ContentETag(body)
	if shape.Fields == "" && shape.Depth == nil {
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
	shape := core.Shape{Fields: string(fields), Timestamps: parts[3] == "true"}
	if depth, numeric := strconv.ParseInt(parts[2], 10, 64); numeric == nil {
		shape.Depth = &depth
	}
	return shape, err == nil && core.ValidText(shape.Fields)
}

// maxShapes bounds the reads that one If-Match header causes.
const maxShapes = 8

// shapesOf returns the shapes of reads whose tags can be among tags.
func shapesOf(tags []string) []core.Shape {
	shapes := []core.Shape{{}, {Timestamps: true}}
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(tags))) {
		if shape, ok := shapeOf(tag); ok && len(shapes) < maxShapes {
			shapes = append(shapes, shape)
		}
	}
	return shapes
}
