package rest

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/content"
	"imprimatur/core/media"
)

// mediaItem documents the output of showMedia: a MediaView with the additional members of
// a media library.
type mediaItem struct {
	ID           int64    `json:"id" example:"7"`
	FileName     string   `json:"fileName" doc:"The file name without a path." example:"harbour.jpg"`
	FullURL      string   `json:"fullUrl" format:"uri" doc:"The original file. The content of this URL never changes." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/harbour.jpg"`
	ThumbURL     *string  `json:"thumbUrl" format:"uri" doc:"A JPEG or PNG of at most 320 px; null if the file is not a picture." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752/harbour.jpg"`
	ThumbWebPURL *string  `json:"thumbWebpUrl" format:"uri" doc:"The same picture as WebP." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13/harbour.webp"`
	FullWebPURL  *string  `json:"fullWebpUrl" format:"uri" doc:"A WebP of at most 2560 px, upright and without metadata." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d/harbour.webp"`
	Caption      *string  `json:"caption" example:"The harbour at dawn"`
	Tags         []string `json:"tags" nullable:"false" example:"[\"harbour\",\"morning\"]"`
	Size         int64    `json:"size" doc:"The size of the file in bytes." example:"482113"`
	Width        *int     `json:"width" doc:"In pixels, upright; null if the file is not a picture." example:"3000"`
	Height       *int     `json:"height" doc:"In pixels." example:"2000"`
	MimeType     string   `json:"mimeType" doc:"Detected from the content of the file." example:"image/jpeg"`
	Hash         string   `json:"hash" doc:"The hex SHA-256 of the file." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	CreatedAt    string   `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// shownMedia is the JSON of a mediaItem.
type shownMedia struct{ json.RawMessage }

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
type shownChange struct{ json.RawMessage }

// showMedia encodes an item: first the members that GraphQL and entries show, byte for
// byte, then the others.
func (a *API) showMedia(item core.MediaItem) shownMedia {
	view := content.MediaJSON(a.Files, item)
	return shownMedia{append(view[:len(view)-1],
		`,"mimeType":"`+item.MimeType+`","hash":"`+item.Hash+`","createdAt":"`+core.FormatTime(item.CreatedAt)+`"}`...)}
}

// mediaPage is one page of a media library.
type mediaPage struct {
	Data []shownMedia `json:"data" nullable:"false"`
	Meta pagesMeta    `json:"meta"`
}

// mediaUse is an entry with a version that shows a media item.
type mediaUse struct {
	EntryID      int64  `json:"entryId" example:"42"`
	CollectionID int64  `json:"collectionId" example:"1"`
	Locale       string `json:"locale" example:"en"`
	Draft        bool   `json:"draft" doc:"Whether the draft shows the item." example:"true"`
	Published    bool   `json:"published" doc:"Whether the published version shows the item." example:"true"`
	Requested    bool   `json:"requested" doc:"Whether a pending or approved request would publish a version that shows the item." example:"false"`
	Trashed      bool   `json:"trashed" doc:"Whether the entry is in the trash." example:"false"`
}

// recaption is a change of an item in the content API.
type recaption struct {
	Caption optional[string] `json:"caption,omitempty" doc:"null removes it." example:"The harbour at dawn"`
}

// mediaChange is a change of an item in the dashboard API.
type mediaChange struct {
	Caption optional[string]   `json:"caption,omitempty" doc:"null removes it." example:"The harbour at dawn"`
	Tags    optional[[]string] `json:"tags,omitempty" doc:"Replaces all tags; null removes them." example:"[\"harbour\",\"morning\"]"`
}

// deletion confirms a deletion.
type deletion struct {
	Success bool `json:"success" doc:"Always true. An item that cannot be deleted results in an error status." example:"true"`
}

// Parts of the upload forms.
var (
	captionPart = textPart{name: "caption", about: "The caption of the file.", example: "The harbour at dawn"}
	tagsPart    = textPart{name: "tags", about: "One tag. Repeat the part for more tags.", example: []string{"harbour", "morning"}, many: true}
)

// Query parameters of media libraries.
var (
	mediaListParams = []*queryParam{
		{
			Name: "page", In: "query", Description: "The number of the page, starting at 1.", Example: 1,
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0), Default: 1},
		},
		{
			Name: "perPage", In: "query", Description: "The number of items per page.", Example: media.DefaultPerPage,
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0), Maximum: ptr(float64(media.MaxPerPage)), Default: media.DefaultPerPage},
		},
		{
			Name: "search", In: "query", Description: "A case-insensitive substring of the caption, the file name or a tag.",
			Schema: &huma.Schema{Type: huma.TypeString}, Example: "harbour",
		},
		{
			Name: "type", In: "query", Description: "The kind of file.", Example: "image",
			Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"image", "video", "audio", "document"}},
		},
	}
	ifUnusedParam = flagParam("ifUnused", "Deletes the item only if no entry uses it. Otherwise the status is 409 and the problem lists the entries.")
)

const aboutUpload = "The body is a form with a file. The file can have any size up to the limit of the Project; the upload has no time limit as long as data keeps arriving. " +
	"All variants of a picture exist when the response arrives. The type is detected from the content: pictures, video, audio, PDF, office documents, plain text and zip are accepted, " +
	"web pages and programs are rejected. Uploading the same file twice creates two items that share one stored file."

// registerMedia registers the media operations of both APIs. Only the dashboard API has
// tags.
func (a *API) registerMedia() {
	const (
		public, publicTag       = "/public/v2/projects/{projectUuid}/media", "Public media"
		dashboard, dashboardTag = "/api/projects/{projectId}/media", "Media"
		one                     = "/{mediaId}"
	)
	conflict := []core.Kind{core.KindConflict}

	handleRaw[mediaPage](a.set, operation{
		method: http.MethodGet, path: public, id: "listPublicMedia", tag: publicTag, action: access.ReadPublic, conditional: true,
		title: "List media", about: "Returns the media items of the Project, the newest first.", query: mediaListParams,
	}, func(c *call) error { return c.tagged(a.listMedia(c)) })
	handleRaw[shownMedia](a.set, operation{
		method: http.MethodGet, path: public + one, id: "getPublicMedia", tag: publicTag, action: access.ReadPublic, conditional: true,
		title: "Read a media item", about: "Returns one media item.",
	}, func(c *call) error { return c.tagged(withMedia(a.getMedia)(c, none{})) })
	handleUpload[shownMedia](a.set, operation{
		method: http.MethodPost, path: public + "/upload", id: "uploadPublicMedia", tag: publicTag, action: access.CreatePublic,
		title: "Upload a file", about: aboutUpload, form: []textPart{captionPart},
	}, a.uploadMedia)
	handle(a.set, operation{
		method: http.MethodPatch, path: public + one, id: "updatePublicMedia", tag: publicTag, action: access.UpdatePublic,
		title: "Change a media item", about: "Changes the caption. Readers see it immediately.",
	}, withMedia(a.recaptionMedia))
	handle(a.set, operation{
		method: http.MethodDelete, path: public + one, id: "deletePublicMedia", tag: publicTag, action: access.DeletePublic, status: http.StatusOK,
		title: "Delete a media item", about: "The file is removed when no other item needs it. Entries with the item show null instead, or omit it from a list.",
	}, withMedia(a.deleteMedia))

	handle(a.set, operation{
		method: http.MethodGet, path: dashboard, id: "listMedia", tag: dashboardTag, action: access.ViewMedia,
		title: "List media", about: "Returns the media items of the Project, the newest first.", query: mediaListParams,
	}, func(c *call, _ none) (mediaPage, error) { return a.listMedia(c) })
	handle(a.set, operation{
		method: http.MethodGet, path: dashboard + one, id: "getMedia", tag: dashboardTag, action: access.ViewMedia,
		title: "Read a media item", about: "Returns one media item.",
	}, withMedia(a.getMedia))
	handleUpload[shownMedia](a.set, operation{
		method: http.MethodPost, path: dashboard + "/upload", id: "uploadMedia", tag: dashboardTag, action: access.WriteMedia,
		title: "Upload a file", about: aboutUpload, form: []textPart{captionPart, tagsPart},
	}, a.uploadMedia)
	handle(a.set, operation{
		method: http.MethodPatch, path: dashboard + one, id: "updateMedia", tag: dashboardTag, action: access.WriteMedia,
		title: "Change a media item", about: "Changes the members that the body contains. Readers see the change immediately.",
	}, withMedia(a.changeMedia))
	handle(a.set, operation{
		method: http.MethodDelete, path: dashboard + one, id: "deleteMedia", tag: dashboardTag, action: access.DeleteMedia, status: http.StatusOK,
		title: "Delete a media item", about: "The file is removed when no other item needs it. Entries with the item show null instead, or omit it from a list.",
		query: []*queryParam{ifUnusedParam}, fails: conflict,
	}, withMedia(a.deleteMedia))
	handle(a.set, operation{
		method: http.MethodGet, path: dashboard + one + "/usage", id: "listMediaUses", tag: dashboardTag, action: access.ViewMedia,
		title: "List the uses of a media item",
		about: "Returns the entries that show the item in the draft, in the published version or in an open approval request, ordered by id and including the trash. The list has at most " + strconv.Itoa(media.MaxUses) + " entries.",
	}, withMedia(func(c *call, id int64, _ none) (list[mediaUse], error) {
		uses, err := a.Media.Uses(c.ctx(), c.project(), id)
		return listOf(uses, func(u core.MediaUse) mediaUse { return mediaUse(u) }), err
	}))
}

// withMedia reads the item's id from the path.
func withMedia[B, A any](do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return withID("mediaId", "media item", do)
}

func (a *API) listMedia(c *call) (mediaPage, error) {
	q, err := mediaQuery(c)
	if err != nil {
		return mediaPage{}, err
	}
	found, err := a.Media.List(c.ctx(), c.project(), q)
	if err != nil {
		return mediaPage{}, err
	}
	return mediaPage{
		Data: each(found.Items, a.showMedia),
		Meta: pagesMeta{found.Page, found.PerPage, found.Total, found.HasMore},
	}, nil
}

// mediaQuery reads the parameters of a media list. The use case checks their limits.
func mediaQuery(c *call) (q media.Query, err error) {
	for name, into := range map[string]*int64{"page": &q.Page, "perPage": &q.PerPage} {
		number, err := c.int(name)
		switch {
		case err != nil:
			return q, err
		case number != nil && *number == 0: // the use case would read 0 as the default
			return q, badParameter(name, "must be at least 1")
		case number != nil:
			*into = *number
		}
	}
	kind, given := c.params["type"]
	if given && kind == "" {
		return q, badParameter("type", "is empty")
	}
	q.Search, q.Kind = c.params["search"], core.MediaKind(kind)
	return q, nil
}

func (a *API) getMedia(c *call, id int64, _ none) (shownMedia, error) {
	return a.shownMedia(a.Media.Item(c.ctx(), c.project(), id))
}

func (a *API) changeMedia(c *call, id int64, in mediaChange) (shownMedia, error) {
	return a.shownMedia(a.Media.Change(c.ctx(), c.actor, c.project(), id, media.Change{Caption: in.Caption.orZero(), Tags: in.Tags.orZero()}))
}

// recaptionMedia returns only the members of the body to a token without the ability
// read.
func (a *API) recaptionMedia(c *call, id int64, in recaption) (shownChange, error) {
	item, err := a.Media.Change(c.ctx(), c.actor, c.project(), id, media.Change{Caption: in.Caption.orZero()})
	if err != nil || c.actor.Token.Can(core.AbilityRead) {
		return shownChange(a.showMedia(item)), err
	}
	named := map[string]any{"id": id}
	if in.Caption.Given {
		named["caption"] = textOrNull(item.Caption)
	}
	written, err := json.Marshal(named)
	return shownChange{written}, err
}

func (a *API) deleteMedia(c *call, id int64, _ none) (deletion, error) {
	ifUnused, err := c.bool("ifUnused")
	if err != nil {
		return deletion{}, err
	}
	return deletion{Success: true}, a.Media.Delete(c.ctx(), c.actor, c.project(), id, ifUnused)
}

func (a *API) uploadMedia(c *call) error {
	project := c.project()
	form, err := c.form(project.UploadLimit)
	if err != nil {
		return err
	}
	var fileName string
	var received *media.Received
	defer func() { received.Discard(c.ctx()) }()
	if err := form.read(func(name string, file io.Reader) (err error) {
		fileName = name
		received, err = a.Media.Receive(c.ctx(), project, name, file)
		return err
	}); err != nil {
		return err
	}
	// The fingerprint of an upload does not use the bytes of the form, because its
	// boundary differs with each request.
	same, err := json.Marshal([]any{received.Hash(), fileName, form.texts})
	if err != nil {
		return err
	}
	return c.once(same, func() error {
		caption := ""
		if texts := form.texts[captionPart.name]; len(texts) > 0 {
			caption = texts[0]
		}
		item, err := a.Media.Keep(c.ctx(), c.actor, project, received, caption, form.texts[tagsPart.name])
		if err != nil {
			return err
		}
		c.w.Header().Set("Location", path.Dir(c.r.URL.EscapedPath())+"/"+strconv.FormatInt(item.ID, 10))
		return c.writeJSON(a.showMedia(item))
	})
}

func (a *API) shownMedia(item core.MediaItem, err error) (shownMedia, error) {
	if err != nil {
		return shownMedia{}, err
	}
	return a.showMedia(item), nil
}
