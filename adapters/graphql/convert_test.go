package graphql

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/reading"
)

// A media item is equal as a field of Entry.data and as a MediaView, except for its id,
// which is a string in GraphQL.
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
			shown := mediaView("https://files.example", item)
			require.Equal(t, inData["id"], float64(shown.ID))
			for field, value := range map[string]any{
				"fileName": shown.FileName, "fullUrl": shown.FullURL, "thumbUrl": shown.ThumbURL, "thumbWebpUrl": shown.ThumbWebpURL,
				"fullWebpUrl": shown.FullWebpURL, "caption": shown.Caption, "tags": shown.Tags, "size": shown.Size, "width": shown.Width, "height": shown.Height,
			} {
				encoded, err := json.Marshal(value)
				require.NoError(t, err)
				var decoded any
				require.NoError(t, json.Unmarshal(encoded, &decoded))
				require.Equal(t, inData[field], decoded, field)
			}
		})
	}
}
