package graphql

import (
	"math"

	"imprimatur/adapters/graphql/model"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/reading"
)

// entry converts an entry to the type of the schema. The result shares its memory. If stamped is
// true, it has timestamps.
func entry(shaped *reading.Shaped, stamped bool) model.Entry {
	shown := model.Entry{
		ID:          model.ID(shaped.ID),
		Locale:      &shaped.Locale,
		PublishedAt: model.NewDateTime(&shaped.PublishedAt),
		Data:        model.JSONObject{Raw: shaped.JSON},
	}
	if stamped {
		shown.CreatedAt = model.NewDateTime(&shaped.CreatedAt)
		shown.UpdatedAt = model.NewDateTime(&shaped.UpdatedAt)
	}
	return shown
}

// collectionMeta converts a collection to the type of the schema, without secret fields.
func collectionMeta(c *core.Collection) model.CollectionMeta {
	meta := model.CollectionMeta{
		Slug: c.Slug, Name: c.Name, Description: core.NullIfZero(c.Description),
		Fields: make([]model.CollectionFieldMeta, 0, len(c.Fields)),
	}
	for _, field := range c.Fields {
		if !field.Secret() {
			meta.Fields = append(meta.Fields, model.CollectionFieldMeta{Name: field.Name, Label: field.Label, Type: string(field.Type)})
		}
	}
	return meta
}

// mediaView converts a media item to the type of the schema, which has the members of wire.MediaView.
// files is the base address of /files.
func mediaView(files fileurl.Base, item core.MediaItem) model.MediaView {
	v := wire.MediaViewOf(files, item)
	return model.MediaView{
		ID: model.ID(v.ID), FileName: v.FileName, FullURL: v.FullURL, ThumbURL: v.ThumbURL, ThumbWebpURL: v.ThumbWebPURL, FullWebpURL: v.FullWebPURL,
		Caption: v.Caption, Tags: v.Tags, Size: optionalInt(v.Size, true),
		Width: optionalInt(int64(item.Width), item.Width > 0), Height: optionalInt(int64(item.Height), item.Height > 0),
	}
}

// optionalInt returns nil when present is false or n does not fit in an Int.
func optionalInt(n int64, present bool) *int32 {
	if !present || n > math.MaxInt32 {
		return nil
	}
	return new(int32(n))
}
