package graphql

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/reading"
)

// TestMediaViewIsTheMediaOfData checks that a media item is equal as a field of Entry.data and as a
// MediaView, whose fields are the first members of wire.MediaView: all but alt, focalPoint and color. Only the id is a
// string in GraphQL.
func TestMediaViewIsTheMediaOfData(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]core.MediaItem{
		"picture": {
			ID: 7, FileName: "a.jpg", Full: "u/a.jpg", Thumb: "u/t.jpg", ThumbWebP: "u/w.webp", FullWebP: "u/fw.webp",
			Caption: "Sea", Tags: []string{"x", "y"}, Size: 9, Width: 4, Height: 3,
		},
		"document": {ID: 8, FileName: "a.pdf", Full: "u/b.pdf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var inData map[string]any
			require.NoError(t, json.Unmarshal(reading.MediaJSON("https://files.example", item), &inData))
			shown, members := reflect.ValueOf(mediaView("https://files.example", item)), reflect.TypeFor[wire.MediaView]()
			fields := newSchema(&queryRoot{}).Schema().Types["MediaView"].Fields
			require.Len(t, fields, members.NumField()-3)
			require.Len(t, inData, members.NumField())
			for i, field := range fields {
				require.Equal(t, members.Field(i).Tag.Get("json"), field.Name)
				encoded, err := json.Marshal(shown.Field(i).Interface())
				require.NoError(t, err)
				var decoded any
				require.NoError(t, json.Unmarshal(encoded, &decoded))
				require.Equal(t, inData[field.Name], decoded, field.Name)
			}
		})
	}
}
