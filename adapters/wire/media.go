package wire

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
	"imprimatur/core/library"
	"imprimatur/core/media"
	"imprimatur/core/reading"
)

// MediaView is a media item as entries show it; that of GraphQL has no color. reading.MediaJSON writes it in entries.
type MediaView struct {
	ID           int64    `json:"id" example:"7"`
	FileName     string   `json:"fileName" doc:"The file name without a path." example:"harbour.jpg"`
	FullURL      string   `json:"fullUrl" format:"uri" doc:"The original file. The content of this URL never changes." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/harbour.jpg"`
	ThumbURL     *string  `json:"thumbUrl" format:"uri" doc:"A JPEG or PNG of at most 320 px; null if the file is not a picture, or if no renditions are made of it." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752/harbour.jpg"`
	ThumbWebPURL *string  `json:"thumbWebpUrl" format:"uri" doc:"The same picture as WebP." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13/harbour.webp"`
	FullWebPURL  *string  `json:"fullWebpUrl" format:"uri" doc:"A WebP of at most 2560 px, upright and without metadata; null if the file is not a picture, if no renditions are made of it, or if it is animated: show fullUrl." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d/harbour.webp"`
	Caption      *string  `json:"caption" example:"The harbour at dawn"`
	Tags         []string `json:"tags" nullable:"false" example:"[\"harbour\",\"morning\"]"`
	Size         int64    `json:"size" doc:"The size of the stored file in bytes." example:"482113"`
	Width        *int     `json:"width" doc:"In pixels, upright; null if the file is not a picture, or if no renditions are made of it." example:"3000"`
	Height       *int     `json:"height" doc:"In pixels." example:"2000"`

	Alt        *string            `json:"alt" doc:"Describes a picture to readers who do not see it." example:"Fishing boats in a harbour, the sun low behind them"`
	FocalPoint OrNull[FocalPoint] `json:"focalPoint" doc:"The point that stays visible when the picture is cropped; null: the centre."`
	Color      *string            `json:"color" pattern:"^#[0-9a-f]{6}$" doc:"The average colour of a picture, to show until it is loaded; null for other files, and if it is transparent." example:"#5a7d9b"`
}

// FocalPoint describes core.FocalPoint.
type FocalPoint struct {
	X float64 `json:"x" minimum:"0" maximum:"1" doc:"The fraction of the width, from the left." example:"0.25"`
	Y float64 `json:"y" minimum:"0" maximum:"1" doc:"The fraction of the height, from the top." example:"0.4"`
}

// FocalPointInput is a FocalPoint in a request.
type FocalPointInput struct {
	X *float64 `json:"x"`
	Y *float64 `json:"y"`
}

// Schema implements huma.SchemaProvider.
func (FocalPointInput) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[FocalPoint](), true, "")
}

// FocalPointChange returns the change of a focal point in a request.
func FocalPointChange(in Optional[FocalPointInput]) core.Optional[media.Point] {
	return core.Optional[media.Point]{Given: in.Given, Value: (*media.Point)(in.Value)}
}

// MediaViewOf returns item with the URLs of its files below files.
func MediaViewOf(files fileurl.Base, item core.MediaItem) MediaView {
	url := func(key string) *string { return core.NullIfZero(fileurl.URL(files, key, item.FileName)) }
	return MediaView{
		ID: item.ID, FileName: item.FileName, FullURL: fileurl.URL(files, item.Full, item.FileName),
		ThumbURL: url(item.Thumb), ThumbWebPURL: url(item.ThumbWebP), FullWebPURL: url(item.FullWebP),
		Caption: core.NullIfZero(item.Caption), Tags: append([]string{}, item.Tags...),
		Size: item.Size, Width: core.NullIfZero(item.Width), Height: core.NullIfZero(item.Height),
		Alt: core.NullIfZero(item.Alt), FocalPoint: OrNull[FocalPoint]{(*FocalPoint)(item.FocalPoint)},
		Color: core.NullIfZero(item.Color),
	}
}

// MediaItem is a MediaView with the additional members of a media library.
type MediaItem struct {
	MediaView
	MediaFile
}

// MediaFile has the members that only a media library shows.
type MediaFile struct {
	MimeType  string `json:"mimeType" doc:"Detected from the content of the file." example:"image/jpeg"`
	Hash      string `json:"hash" doc:"The hex SHA-256 of the stored file. It differs from that of the uploaded file if a location was removed." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	CreatedAt string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Folder    string `json:"folder" doc:"Up to 5 names of at most 60 characters, joined by slashes; empty: in no folder." example:"Press/2026"`
}

// UploadedMedia is a MediaItem in the response to an upload.
type UploadedMedia struct {
	MediaItem

	Warnings []string `json:"warnings,omitempty" nullable:"false" doc:"What to know about the file, in words, such as why a picture has no variants. Left out if nothing." example:"[\"variants of AVIF pictures are not made: the file is kept as it is, without variants\"]"`
}

// UploadedMediaOf returns the JSON of item with the warnings of its upload.
func UploadedMediaOf(files fileurl.Base, item core.MediaItem, warnings []string) (Encoded[UploadedMedia], error) {
	shown := Encoded[UploadedMedia](MediaItemOf(files, item))
	if len(warnings) == 0 {
		return shown, nil
	}
	list, err := json.Marshal(warnings)
	return append(append(append(shown[:len(shown)-1], `,"warnings":`...), list...), '}'), err
}

// MediaItemOf returns the JSON of item. Its first members are, byte for byte, those that entries show.
func MediaItemOf(files fileurl.Base, item core.MediaItem) Encoded[MediaItem] {
	view := reading.MediaJSON(files, item)
	return append(view[:len(view)-1],
		`,"mimeType":"`+item.MimeType+`","hash":"`+item.Hash+`","createdAt":"`+core.FormatTime(item.CreatedAt)+`","folder":`+
			string(canonical.Quote(item.Folder))+`}`...)
}

// ChangedMedia documents the response to a change of an item by a token. A token without the ability
// read receives only the members that its body contained.
type ChangedMedia struct{ MediaItem }

// TransformSchema implements huma.SchemaTransformer.
func (ChangedMedia) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Required = []string{"id"}
	for _, member := range s.Properties {
		member.Description = ""
	}
	return describe(s, members{
		"fileName": "Only tokens with the ability read receive this member and the following ones, except for those that the body contained.",
	})
}

// ChangedMediaOf returns the JSON of item for a token without the ability read, which sees the members
// that it has changed.
func ChangedMediaOf(item core.MediaItem, in MediaChange) (Encoded[ChangedMedia], error) {
	named := map[string]any{"id": item.ID}
	if in.Caption.Given {
		named["caption"] = core.NullIfZero(item.Caption)
	}
	if in.Alt.Given {
		named["alt"] = core.NullIfZero(item.Alt)
	}
	if in.FocalPoint.Given {
		named["focalPoint"] = item.FocalPoint
	}
	if in.Folder.Given {
		named["folder"] = item.Folder
	}
	if in.Tags.Given {
		named["tags"] = append([]string{}, item.Tags...)
	}
	return json.Marshal(named)
}

// MediaCopy is the body of a copy of a file of another site.
type MediaCopy struct {
	URL string `json:"url" format:"uri" doc:"The address of the file." example:"https://example.org/pictures/harbour.jpg"`
}

// MediaChange is a change of an item.
type MediaChange struct {
	Caption Optional[string]   `json:"caption,omitempty" doc:"null removes it." example:"The harbour at dawn"`
	Tags    Optional[[]string] `json:"tags,omitempty" doc:"Replaces all tags; null removes them." example:"[\"harbour\",\"morning\"]"`

	Alt        Optional[string]          `json:"alt,omitempty" doc:"At most 500 characters; null removes it." example:"Fishing boats in a harbour, the sun low behind them"`
	FocalPoint Optional[FocalPointInput] `json:"focalPoint,omitempty" doc:"null means the centre."`
	Folder     Optional[string]          `json:"folder,omitempty" doc:"Up to 5 names of at most 60 characters, joined by slashes; null or empty: in no folder." example:"Press/2026"`
}

// MediaMove names the items that move to a folder.
type MediaMove struct {
	IDs    []int64 `json:"ids" nullable:"false" minItems:"1" maxItems:"1000" doc:"At most 1,000." example:"[7,12]"`
	Folder string  `json:"folder" doc:"Up to 5 names of at most 60 characters, joined by slashes; empty: in no folder." example:"Press/2026"`
}

// MediaMoved says what a move did.
type MediaMoved struct {
	Moved int `json:"moved" doc:"How many of the items were in another folder." example:"2"`
}

// MediaFolder is a folder of a media library.
type MediaFolder struct {
	Folder string `json:"folder" doc:"Empty: the items in no folder." example:"Press/2026"`
	Items  int64  `json:"items" doc:"The number of items in it, without those of folders in it." example:"24"`
}

// MediaFolderOf returns f, a folder of a library.
func MediaFolderOf(f library.Folder) MediaFolder { return MediaFolder{f.Path, f.Items} }

// Deletion confirms a deletion.
type Deletion struct {
	Success bool `json:"success" doc:"Always true. An item that cannot be deleted results in an error status." example:"true"`
}

// MediaUse is an entry with a version that shows a media item.
type MediaUse struct {
	EntryID      int64   `json:"entryId" example:"42"`
	CollectionID int64   `json:"collectionId" example:"1"`
	Locale       string  `json:"locale" example:"en"`
	Title        *string `json:"title" doc:"The first 200 characters of its draft in the field that names entries. null means none." example:"Harbour to close for repairs"`
	Draft        bool    `json:"draft" doc:"Whether the draft shows the item." example:"true"`
	Published    bool    `json:"published" doc:"Whether the published version shows the item." example:"true"`
	Requested    bool    `json:"requested" doc:"Whether a pending or approved request would publish a version that shows the item." example:"false"`
	Trashed      bool    `json:"trashed" doc:"Whether the entry is in the trash." example:"false"`
	Sealed       bool    `json:"sealed" doc:"Whether this use keeps the item: the published version was reviewed with it, or the request shows it." example:"true"`
}

// MediaUseOf returns u, a use of a media item.
func MediaUseOf(u library.Use) MediaUse {
	return MediaUse{u.EntryID, u.CollectionID, u.Locale, core.NullIfZero(u.Title), u.Draft, u.Published, u.Requested, u.Trashed, u.Sealed}
}

// SealedItem describes core.SealedItem.
type SealedItem struct {
	Hash     string   `json:"hash" doc:"Hex SHA-256 of the bytes." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	FileName string   `json:"fileName" example:"harbour.jpg"`
	Caption  string   `json:"caption" doc:"Empty means none." example:"The harbour at dawn"`
	Tags     []string `json:"tags" nullable:"false" example:"[\"harbour\"]"`

	Alt        string           `json:"alt,omitempty" example:"Fishing boats in a harbour, the sun low behind them"`
	FocalPoint *core.FocalPoint `json:"focalPoint,omitempty"`
}
