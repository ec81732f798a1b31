package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/reading"
)

// member is a member of a type in JSON.
type member struct {
	tag   string // name and options
	shape reflect.Type
}

// membersOf returns the members of a struct in their order, with those of embedded structs.
func membersOf(t reflect.Type) (all []member) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch tag := f.Tag.Get("json"); {
		case f.Anonymous:
			all = append(all, membersOf(f.Type)...)
		case tag != "":
			all = append(all, member{tag, f.Type})
		}
	}
	return all
}

// TestDocuments checks that each type that describes a document of core has exactly its members.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for document, description := range wire.Documents {
		require.Equal(t, document.Kind(), description.Kind())
		if document.Kind() == reflect.Struct {
			require.NotEmpty(t, membersOf(document))
			require.Equal(t, membersOf(document), membersOf(description), "%s describes %s", description, document)
		}
	}
}

// mediaItem draws an item of every kind: pictures and other files, with any text.
func mediaItem(t *rapid.T) core.MediaItem {
	key := rapid.SampledFrom([]string{"", "u/a.jpg", "u/b"})
	var focal *core.FocalPoint
	if rapid.Bool().Draw(t, "focal") {
		focal = &core.FocalPoint{X: rapid.Float64Range(0, 1).Draw(t, "x"), Y: rapid.Float64Range(0, 1).Draw(t, "y")}
	}
	return core.MediaItem{
		Folder: rapid.String().Draw(t, "folder"), Alt: rapid.String().Draw(t, "alt"), FocalPoint: focal,
		ID: rapid.Int64Min(1).Draw(t, "id"), FileName: rapid.String().Draw(t, "name"), Full: "u/f.png",
		Thumb: key.Draw(t, "thumb"), ThumbWebP: key.Draw(t, "thumb webp"), FullWebP: key.Draw(t, "full webp"),
		Caption: rapid.String().Draw(t, "caption"), Tags: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "tags"),
		Size: rapid.Int64Min(0).Draw(t, "size"), Width: rapid.IntRange(0, 9).Draw(t, "width"), Height: rapid.IntRange(0, 9).Draw(t, "height"),
		MimeType: "image/png", Hash: strings.Repeat("a", 64), CreatedAt: time.UnixMilli(rapid.Int64Range(0, 1<<41).Draw(t, "created")).UTC(),
	}
}

// marshal encodes v as the APIs do. Package json escapes two characters that package canonical does
// not.
func marshal(t require.TestingT, v any) string {
	raw, err := core.EncodeJSON(v)
	require.NoError(t, err)
	return strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(string(raw))
}

// TestEncoders checks that what is written as bytes, for speed, is the JSON of the types.
func TestEncoders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		item := mediaItem(t)
		view := wire.MediaViewOf("https://cdn.example", item)
		require.Equal(t, marshal(t, view), string(reading.MediaJSON("https://cdn.example", item)))
		file := wire.MediaFile{MimeType: item.MimeType, Hash: item.Hash, CreatedAt: core.FormatTime(item.CreatedAt), Folder: item.Folder}
		require.Equal(t, marshal(t, wire.MediaItem{MediaView: view, MediaFile: file}), string(wire.MediaItemOf("https://cdn.example", item)))
	})
}

func TestManagedEntry(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 1, 2, 5, 4, 5, 0, time.FixedZone("", 7200))
	empty := reading.Managed{CreatedAt: day, UpdatedAt: day, Fields: json.RawMessage(`{}`)}
	body := marshal(t, wire.ManagedEntryOf(empty))
	assert.Contains(t, body, `"createdAt":"2026-01-02T03:04:05.000Z"`)
	assert.True(t, strings.HasSuffix(body, `"trashedAt":null,"fields":{},"approval":null,"release":null}`), body)
	empty.Faults, empty.Dropped = []reading.Fault{}, []string{}
	assert.True(t, strings.HasSuffix(marshal(t, wire.ManagedEntryOf(empty)), `"approval":null,"release":null,"faults":[],"dropped":[]}`))
}

// TestEntryWriteHasEveryMember checks that each member of the body becomes one of the write, except the emergency.
func TestEntryWriteHasEveryMember(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	published, locale, note, id := true, "de", "Checked", int64(41)
	fields, drop := map[string]json.RawMessage{"title": json.RawMessage(`"A"`)}, map[string][]string{"body": {"k1"}}
	body := wire.EntryWrite{
		Locale: &locale, TranslationOf: &id, Published: &published, KeepPublished: true, PublishAt: &at, UnpublishAt: wire.Optional[time.Time]{Optional: core.Some(at)},
		PublishedAt: &at, CreatedAt: &at, Note: &note, Comment: "March", Emergency: "A court order", Fields: fields, Drop: drop,
	}
	require.Equal(t, core.EntryWrite{
		Locale: &locale, TranslationOf: &id, Published: &published, KeepPublished: true, PublishAt: &at, UnpublishAt: core.Some(at),
		PublishedAt: at, CreatedAt: at, Note: &note, Comment: "March", Fields: core.WrittenFields{Raw: fields, Drop: drop},
	}, body.Write())
	body.UnpublishAt = wire.Optional[time.Time]{Optional: core.Null[time.Time]()}
	require.Equal(t, core.Null[time.Time](), body.Write().UnpublishAt)
	require.Zero(t, wire.EntryWrite{}.Write())
}
