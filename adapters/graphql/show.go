package graphql

import (
	"math"

	"imprimatur/adapters/graphql/model"
	"imprimatur/core"
	"imprimatur/core/content"
)

// entry shows an entry, whose memory it shares; stamped says whether its timestamps
// were asked for.
func entry(shaped *content.Shaped, stamped bool) model.Entry {
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

// collectionMeta shows a collection without its secret fields.
func collectionMeta(c *core.Collection) model.CollectionMeta {
	meta := model.CollectionMeta{
		Slug: c.Slug, Name: c.Name, Description: optionalString(c.Description),
		Fields: make([]model.CollectionFieldMeta, 0, len(c.Fields)),
	}
	for _, field := range c.Fields {
		if !field.Secret() {
			meta.Fields = append(meta.Fields, model.CollectionFieldMeta{Name: field.Name, Label: field.Label, Type: string(field.Type)})
		}
	}
	return meta
}

// mediaView shows a media item as content.MediaJSON does; files is the address
// that serves /files.
func mediaView(files string, item core.MediaItem) model.MediaView {
	tags := item.Tags
	if tags == nil {
		tags = []string{}
	}
	return model.MediaView{
		ID: model.ID(item.ID), FileName: item.FileName, FullURL: core.FileURL(files, item.Full, item.FileName),
		ThumbURL: optionalString(core.FileURL(files, item.Thumb, item.FileName)), ThumbWebpURL: optionalString(core.FileURL(files, item.ThumbWebP, item.FileName)),
		FullWebpURL: optionalString(core.FileURL(files, item.FullWebP, item.FileName)), Caption: optionalString(item.Caption), Tags: tags,
		Size:  optionalInt(item.Size, true),
		Width: optionalInt(int64(item.Width), item.Width > 0), Height: optionalInt(int64(item.Height), item.Height > 0),
	}
}

// optionalString returns nil for the empty string.
func optionalString(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// optionalInt returns nil when there is no number, or an Int cannot say it.
func optionalInt(n int64, there bool) *int32 {
	if !there || n > math.MaxInt32 {
		return nil
	}
	narrow := int32(n)
	return &narrow
}
