package rest

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strconv"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/media"
	"imprimatur/core/reading"
)

// mediaItem documents the output of showMedia: a MediaView with the additional members of
// a media library.
type mediaItem struct {
	ID           int64    `json:"id" example:"7"`
	FileName     string   `json:"fileName" doc:"The file name without a path." example:"harbour.jpg"`
	FullURL      string   `json:"fullUrl" format:"uri" doc:"The original file. The content of this URL never changes." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/harbour.jpg"`
	ThumbURL     *string  `json:"thumbUrl" format:"uri" doc:"A JPEG or PNG of at most 320 px; null if the file is not a picture." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752/harbour.jpg"`
	ThumbWebPURL *string  `json:"thumbWebpUrl" format:"uri" doc:"The same picture as WebP." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13/harbour.webp"`
	FullWebPURL  *string  `json:"fullWebpUrl" format:"uri" doc:"A WebP of at most 2560 px, upright and without metadata; null if the file is not a picture or is animated: show fullUrl." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d/harbour.webp"`
	Caption      *string  `json:"caption" example:"The harbour at dawn"`
	Tags         []string `json:"tags" nullable:"false" example:"[\"harbour\",\"morning\"]"`
	Size         int64    `json:"size" doc:"The size of the stored file in bytes." example:"482113"`
	Width        *int     `json:"width" doc:"In pixels, upright; null if the file is not a picture." example:"3000"`
	Height       *int     `json:"height" doc:"In pixels." example:"2000"`
	MimeType     string   `json:"mimeType" doc:"Detected from the content of the file." example:"image/jpeg"`
	Hash         string   `json:"hash" doc:"The hex SHA-256 of the stored file. It differs from that of the uploaded file if a location was removed." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	CreatedAt    string   `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// shownMedia is the JSON of a mediaItem.
type shownMedia = encoded[mediaItem]

// changedMedia documents the response to a change of an item by a token. A token without
// the ability read receives only the members that its body contained.
type changedMedia struct {
	ID           int64    `json:"id" example:"7"`
	FileName     string   `json:"fileName,omitempty" doc:"Only tokens with the ability read receive this member and the following ones, except for a caption in the body." example:"harbour.jpg"`
	FullURL      string   `json:"fullUrl,omitempty" format:"uri" example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/harbour.jpg"`
	ThumbURL     *string  `json:"thumbUrl,omitempty" nullable:"true" format:"uri" example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752/harbour.jpg"`
	ThumbWebPURL *string  `json:"thumbWebpUrl,omitempty" nullable:"true" format:"uri" example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13/harbour.webp"`
	FullWebPURL  *string  `json:"fullWebpUrl,omitempty" nullable:"true" format:"uri" example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d/harbour.webp"`
	Caption      *string  `json:"caption,omitempty" nullable:"true" example:"The harbour at dawn"`
	Tags         []string `json:"tags,omitempty" nullable:"false" example:"[\"harbour\",\"morning\"]"`
	Size         int64    `json:"size,omitempty" example:"482113"`
	Width        *int     `json:"width,omitempty" nullable:"true" example:"3000"`
	Height       *int     `json:"height,omitempty" nullable:"true" example:"2000"`
	MimeType     string   `json:"mimeType,omitempty" example:"image/jpeg"`
	Hash         string   `json:"hash,omitempty" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	CreatedAt    string   `json:"createdAt,omitempty" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// shownChange is the JSON of a changedMedia.
type shownChange = encoded[changedMedia]

// showMedia encodes an item: first the members that GraphQL and entries also show, in identical
// bytes, then the others.
func (a *API) showMedia(item core.MediaItem) shownMedia {
	view := reading.MediaJSON(a.Files, item)
	return append(view[:len(view)-1],
		`,"mimeType":"`+item.MimeType+`","hash":"`+item.Hash+`","createdAt":"`+core.FormatTime(item.CreatedAt)+`"}`...)
}

// mediaPage is one page of a media library.
type mediaPage = endpoint.Pages[shownMedia]

// mediaUse is an entry with a version that shows a media item.
type mediaUse struct {
	EntryID      int64   `json:"entryId" example:"42"`
	CollectionID int64   `json:"collectionId" example:"1"`
	Locale       string  `json:"locale" example:"en"`
	Title        *string `json:"title" doc:"The first 200 characters of its draft in the field that names entries. null means none." example:"Harbour to close for repairs"`
	Draft        bool    `json:"draft" doc:"Whether the draft shows the item." example:"true"`
	Published    bool    `json:"published" doc:"Whether the published version shows the item." example:"true"`
	Requested    bool    `json:"requested" doc:"Whether a pending or approved request would publish a version that shows the item." example:"false"`
	Trashed      bool    `json:"trashed" doc:"Whether the entry is in the trash." example:"false"`
}

func showMediaUse(u core.Use) mediaUse {
	return mediaUse{u.EntryID, u.CollectionID, u.Locale, core.NullIfZero(u.Title), u.Draft, u.Published, u.Requested, u.Trashed}
}

// recaption is a change of an item in the content API.
type recaption struct {
	Caption endpoint.Optional[string] `json:"caption,omitempty" doc:"null removes it." example:"The harbour at dawn"`
}

// mediaChange is a change of an item in the dashboard API.
type mediaChange struct {
	Caption endpoint.Optional[string]   `json:"caption,omitempty" doc:"null removes it." example:"The harbour at dawn"`
	Tags    endpoint.Optional[[]string] `json:"tags,omitempty" doc:"Replaces all tags; null removes them." example:"[\"harbour\",\"morning\"]"`
}

// deletion confirms a deletion.
type deletion struct {
	Success bool `json:"success" doc:"Always true. An item that cannot be deleted results in an error status." example:"true"`
}

// Parts of the upload forms.
var (
	captionPart = endpoint.TextPart{Name: "caption", About: "The caption of the file.", Example: "The harbour at dawn"}
	tagsPart    = endpoint.TextPart{Name: "tags", About: "One tag. Repeat the part for more tags.", Example: []string{"harbour", "morning"}, Many: true}
)

// Query parameters of media libraries.
var (
	mediaListParams = append(endpoint.PageParams("items", media.DefaultPerPage),
		endpoint.TextParam("search", "A case-insensitive substring of the caption, the file name or a tag.", "harbour"),
		endpoint.EnumParam("type", "The kind of file.", nil, "image", "video", "audio", "document"))
	ifUnusedParam = endpoint.FlagParam("ifUnused", "Deletes the item only if no entry uses it. Otherwise the status is 409 and the problem lists the entries.")
)

const aboutUpload = "The body is a form with a file. The file can have any size up to the limit of the Project; the upload has no time limit as long as data keeps arriving. " +
	"All variants of a picture exist when the response arrives. " +
	"Metadata that says where a picture was taken is removed from JPEG, PNG, WebP and GIF files, unless keepLocation of the Project is true. " +
	"The type is detected from the content: pictures, video, audio, PDF, office documents, plain text and zip are accepted, " +
	"web pages and programs are rejected. Uploading the same file twice creates two items that share one stored file."

// The effects of library changes on readers of entries.
const (
	aboutWords = "Readers of the library see the change immediately. Readers of entries do too, unless a workflow governs the Project: " +
		"they see the words that were approved, until the entry is submitted and approved again."
	aboutDeletion = "The file is removed when no other item needs it. Entries with the item show null instead, or omit it from a list. " +
		"If a workflow governs the Project, an item that published entries or open approval requests show is not deleted: " +
		"the status is 409 `in_use`, and the problem lists the entries, as `collections/articles/entries/42`. Unpublish them or withdraw the requests first."
)

// registerMedia registers the media operations of both APIs. Only the dashboard API has
// tags.
func (a *API) registerMedia() {
	const public, dashboard, one = "/public/v2/projects/{projectUuid}/media", "/api/projects/{projectId}/media", "/{mediaId}"
	for _, api := range []struct {
		base, tag, noun      string
		view, upload, remove access.Action
		conditional          bool
		form                 []endpoint.TextPart
		removeQuery          []*endpoint.QueryParam
	}{
		{
			public, "Public media", "PublicMedia", access.ReadPublic, access.CreatePublic, access.DeletePublic, true,
			[]endpoint.TextPart{captionPart}, nil,
		},
		{
			dashboard, "Media", "Media", access.ViewMedia, access.WriteMedia, access.DeleteMedia, false,
			[]endpoint.TextPart{captionPart, tagsPart}, []*endpoint.QueryParam{ifUnusedParam},
		},
	} {
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: api.base, ID: "list" + api.noun, Tag: api.tag, Action: api.view, Conditional: api.conditional,
			Title: "List media", About: "Returns the media items of the Project, the newest first.", Query: mediaListParams,
		}, a.listMedia)
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: api.base + one, ID: "get" + api.noun, Tag: api.tag, Action: api.view, Conditional: api.conditional,
			Title: "Read a media item", About: "Returns one media item.",
		}, func(c *endpoint.Call, _ endpoint.None) (shownMedia, error) {
			return endpoint.Shown(a.showMedia)(a.Media.Item(c.Context(), c.Project(), c.ID("mediaId")))
		})
		endpoint.HandleUpload[shownMedia](a.set, endpoint.Operation{
			Method: http.MethodPost, Path: api.base + "/upload", ID: "upload" + api.noun, Tag: api.tag, Action: api.upload,
			Title: "Upload a file", About: aboutUpload, Form: api.form,
		}, a.uploadMedia)
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodDelete, Path: api.base + one, ID: "delete" + api.noun, Tag: api.tag, Action: api.remove, Status: http.StatusOK,
			Title: "Delete a media item", About: aboutDeletion, Query: api.removeQuery, Fails: []core.Kind{core.KindConflict},
		}, a.deleteMedia)
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: public + one, ID: "updatePublicMedia", Tag: "Public media", Action: access.UpdatePublic,
		Title: "Change a media item", About: "Changes the caption. " + aboutWords,
	}, a.recaptionMedia)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: dashboard + one, ID: "updateMedia", Tag: "Media", Action: access.WriteMedia,
		Title: "Change a media item", About: "Changes the members that the body contains. " + aboutWords,
	}, a.changeMedia)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: dashboard + one + "/usage", ID: "listMediaUses", Tag: "Media", Action: access.ViewMedia,
		Title: "List the uses of a media item",
		About: "Returns the entries that show the item, in a media field or in rich text, in the draft, in the published version or in an open approval request, ordered by id and including the trash. The list has at most " + strconv.Itoa(core.MaxUses) + " entries.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[mediaUse], error) {
		return endpoint.ListOf(showMediaUse)(a.Media.Uses(c.Context(), c.Project(), c.ID("mediaId")))
	})
}

func (a *API) listMedia(c *endpoint.Call, _ endpoint.None) (mediaPage, error) {
	q, err := mediaQuery(c)
	if err != nil {
		return mediaPage{}, err
	}
	return endpoint.PagesOf(a.showMedia)(a.Media.List(c.Context(), c.Project(), q))
}

// mediaQuery reads the parameters of a media list. The use case checks their upper limits.
func mediaQuery(c *endpoint.Call) (q media.Query, err error) {
	q.Page, q.PerPage = c.Positive("page"), c.Positive("perPage")
	if err := c.BadQuery(); err != nil {
		return q, err
	}
	kind, given := c.Params["type"]
	if given && kind == "" {
		return q, endpoint.BadParameter("type", "is empty")
	}
	q.Search, q.Kind = c.Params["search"], core.MediaKind(kind)
	return q, nil
}

func (a *API) changeMedia(c *endpoint.Call, in mediaChange) (shownMedia, error) {
	return endpoint.Shown(a.showMedia)(
		a.Media.Change(c.Context(), c.Actor, c.Project(), c.ID("mediaId"), media.Change{Caption: in.Caption.OrZero(), Tags: in.Tags.OrZero()}))
}

// recaptionMedia returns only the members of the body to a token without the ability
// read.
func (a *API) recaptionMedia(c *endpoint.Call, in recaption) (shownChange, error) {
	item, err := a.Media.Change(c.Context(), c.Actor, c.Project(), c.ID("mediaId"), media.Change{Caption: in.Caption.OrZero()})
	if err != nil || c.Actor.Token.Can(core.AbilityRead) {
		return shownChange(a.showMedia(item)), err
	}
	named := map[string]any{"id": c.ID("mediaId")}
	if in.Caption.Given {
		named["caption"] = core.NullIfZero(item.Caption)
	}
	return json.Marshal(named)
}

func (a *API) deleteMedia(c *endpoint.Call, _ endpoint.None) (deletion, error) {
	ifUnused := c.Bool("ifUnused")
	if err := c.BadQuery(); err != nil {
		return deletion{}, err
	}
	return deletion{Success: true}, a.Media.Delete(c.Context(), c.Actor, c.Project(), c.ID("mediaId"), ifUnused)
}

func (a *API) uploadMedia(c *endpoint.Call) error {
	project := c.Project()
	form, err := c.Form(project.UploadLimit)
	if err != nil {
		return err
	}
	var fileName string
	var received *media.Received
	defer func() { received.Discard(c.Context()) }()
	if err := form.Read(func(name string, file io.Reader) (err error) {
		fileName = name
		received, err = a.Media.Receive(c.Context(), project, name, file)
		return err
	}); err != nil {
		return err
	}
	// The fingerprint of an upload does not use the bytes of the form, because its
	// boundary differs with each request.
	same, err := json.Marshal([]any{received.Hash(), fileName, form.Texts})
	if err != nil {
		return err
	}
	return c.Once(same, func() error {
		caption := ""
		if texts := form.Texts[captionPart.Name]; len(texts) > 0 {
			caption = texts[0]
		}
		item, err := a.Media.Keep(c.Context(), c.Actor, project, received, caption, form.Texts[tagsPart.Name])
		if err != nil {
			return err
		}
		c.Writer.Header().Set("Location", path.Dir(c.Request.URL.EscapedPath())+"/"+strconv.FormatInt(item.ID, 10))
		return c.WriteJSON(a.showMedia(item))
	})
}
