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

// mediaItem documents what showMedia writes: a MediaView, and what a library knows
// beside it.
type mediaItem struct {
	ID           int64    `json:"id" example:"7"`
	FileName     string   `json:"fileName" doc:"A base name, without a path." example:"harbour.jpg"`
	FullURL      string   `json:"fullUrl" format:"uri" doc:"The file as it was sent. What is there never changes." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/harbour.jpg"`
	ThumbURL     *string  `json:"thumbUrl" format:"uri" doc:"A picture of at most 320 px, JPEG or PNG; null for what is no picture." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752/harbour.jpg"`
	ThumbWebPURL *string  `json:"thumbWebpUrl" format:"uri" doc:"The same as WebP." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13/harbour.webp"`
	FullWebPURL  *string  `json:"fullWebpUrl" format:"uri" doc:"A WebP of at most 2560 px, upright and without metadata." example:"https://content.example/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d/harbour.webp"`
	Caption      *string  `json:"caption" example:"The harbour at dawn"`
	Tags         []string `json:"tags" nullable:"false" example:"[\"harbour\",\"morning\"]"`
	Size         int64    `json:"size" doc:"Bytes of the file." example:"482113"`
	Width        *int     `json:"width" doc:"Pixels of the picture, upright; null for what is no picture." example:"3000"`
	Height       *int     `json:"height" doc:"Pixels." example:"2000"`
	MimeType     string   `json:"mimeType" doc:"Found out from the bytes." example:"image/jpeg"`
	Hash         string   `json:"hash" doc:"SHA-256 of the bytes." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	CreatedAt    string   `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// shownMedia is a mediaItem, written.
type shownMedia struct{ json.RawMessage }

// changedMedia documents what a token's change of an item answers: the item, of which a
// token that may not read gets no more than its body named.
type changedMedia struct {
	ID           int64    `json:"id" example:"7"`
	FileName     string   `json:"fileName,omitempty" doc:"This member and those after it, the caption that the body named aside, are for tokens with the ability read." example:"harbour.jpg"`
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

// shownChange is a changedMedia, written.
type shownChange struct{ json.RawMessage }

// showMedia writes an item: what GraphQL and entries show of it, byte for byte, and
// then the rest.
func (a *API) showMedia(item core.MediaItem) shownMedia {
	view := content.MediaJSON(a.Files, item)
	return shownMedia{append(view[:len(view)-1],
		`,"mimeType":"`+item.MimeType+`","hash":"`+item.Hash+`","createdAt":"`+core.FormatTime(item.CreatedAt)+`"}`...)}
}

// mediaPage is one page of a library.
type mediaPage struct {
	Data []shownMedia `json:"data" nullable:"false"`
	Meta pagesMeta    `json:"meta"`
}

// mediaUse is an entry of which a version shows a media item.
type mediaUse struct {
	EntryID      int64  `json:"entryId" example:"42"`
	CollectionID int64  `json:"collectionId" example:"1"`
	Locale       string `json:"locale" example:"en"`
	Draft        bool   `json:"draft" doc:"Its draft shows it." example:"true"`
	Published    bool   `json:"published" doc:"What readers see shows it." example:"true"`
	Requested    bool   `json:"requested" doc:"Its pending or approved approval request would publish a version that shows it." example:"false"`
	Trashed      bool   `json:"trashed" doc:"The entry is in the trash, from which it can be restored." example:"false"`
}

// recaption is what the content API changes of an item.
type recaption struct {
	Caption optional[string] `json:"caption,omitempty" doc:"null clears." example:"The harbour at dawn"`
}

// mediaChange is what the dashboard changes of an item.
type mediaChange struct {
	Caption optional[string]   `json:"caption,omitempty" doc:"null clears." example:"The harbour at dawn"`
	Tags    optional[[]string] `json:"tags,omitempty" doc:"All of them; null clears." example:"[\"harbour\",\"morning\"]"`
}

// deletion says that something is gone.
type deletion struct {
	Success bool `json:"success" doc:"Always true: what cannot be deleted is a problem." example:"true"`
}

// Parts of the upload forms.
var (
	captionPart = textPart{name: "caption", about: "What the file shows.", example: "The harbour at dawn"}
	tagsPart    = textPart{name: "tags", about: "One tag; repeat the part for more.", example: []string{"harbour", "morning"}, many: true}
)

// Query parameters of libraries.
var (
	mediaListParams = []*queryParam{
		{
			Name: "page", In: "query", Description: "Which page, from 1.", Example: 1,
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0), Default: 1},
		},
		{
			Name: "perPage", In: "query", Description: "How many a page holds.", Example: media.DefaultPerPage,
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0), Maximum: ptr(float64(media.MaxPerPage)), Default: media.DefaultPerPage},
		},
		{
			Name: "search", In: "query", Description: "A text that the caption, the file name or a tag contains, in any case.",
			Schema: &huma.Schema{Type: huma.TypeString}, Example: "harbour",
		},
		{
			Name: "type", In: "query", Description: "The kind of file.", Example: "image",
			Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"image", "video", "audio", "document"}},
		},
	}
	ifUnusedParam = flagParam("ifUnused", "Deletes only what no entry shows; else the answer is 409 and lists the entries.")
)

const aboutUpload = "The body is a form whose file is read as it comes in; it may be of any length up to the Project's limit and take as long as bytes keep coming. " +
	"Pictures have all their variants when the answer comes. The type is found out from the bytes: pictures, video, audio, PDF, office documents, plain text and zip are taken, " +
	"pages and programs are not. The same file sent twice is two items, whose bytes are kept once."

// registerMedia serves the libraries twice: to tokens, and to users, who also tag.
func (a *API) registerMedia() {
	const (
		public, publicTag       = "/public/v2/projects/{projectUuid}/media", "Public media"
		dashboard, dashboardTag = "/api/projects/{projectId}/media", "Media"
		one                     = "/{mediaId}"
	)
	conflict := []core.Kind{core.KindConflict}

	handleRaw[mediaPage](a, operation{
		method: http.MethodGet, path: public, id: "listPublicMedia", tag: publicTag, action: access.ReadPublic, conditional: true,
		title: "List media", about: "The files of the token's Project, the newest first.", query: mediaListParams,
	}, func(c *call) error { return c.tagged(a.listMedia(c)) })
	handleRaw[shownMedia](a, operation{
		method: http.MethodGet, path: public + one, id: "getPublicMedia", tag: publicTag, action: access.ReadPublic, conditional: true,
		title: "Read a media item", about: "One file of the library.",
	}, func(c *call) error { return c.tagged(withMedia(a.getMedia)(c, none{})) })
	handleUpload[shownMedia](a, operation{
		method: http.MethodPost, path: public + "/upload", id: "uploadPublicMedia", tag: publicTag, action: access.CreatePublic,
		title: "Upload a file", about: aboutUpload, form: []textPart{captionPart},
	}, a.uploadMedia)
	handle(a, operation{
		method: http.MethodPatch, path: public + one, id: "updatePublicMedia", tag: publicTag, action: access.UpdatePublic,
		title: "Caption a media item", about: "Every reader sees the new caption at once.",
	}, withMedia(a.recaptionMedia))
	handle(a, operation{
		method: http.MethodDelete, path: public + one, id: "deletePublicMedia", tag: publicTag, action: access.DeletePublic, status: http.StatusOK,
		title: "Delete a media item", about: "Its bytes go once nothing else needs them; entries that point to it show null, or leave it out of a list.",
	}, withMedia(a.deleteMedia))

	handle(a, operation{
		method: http.MethodGet, path: dashboard, id: "listMedia", tag: dashboardTag, action: access.ViewMedia,
		title: "List media", about: "The files of the Project, the newest first.", query: mediaListParams,
	}, func(c *call, _ none) (mediaPage, error) { return a.listMedia(c) })
	handle(a, operation{
		method: http.MethodGet, path: dashboard + one, id: "getMedia", tag: dashboardTag, action: access.ViewMedia,
		title: "Read a media item", about: "One file of the library.",
	}, withMedia(a.getMedia))
	handleUpload[shownMedia](a, operation{
		method: http.MethodPost, path: dashboard + "/upload", id: "uploadMedia", tag: dashboardTag, action: access.WriteMedia,
		title: "Upload a file", about: aboutUpload, form: []textPart{captionPart, tagsPart},
	}, a.uploadMedia)
	handle(a, operation{
		method: http.MethodPatch, path: dashboard + one, id: "updateMedia", tag: dashboardTag, action: access.WriteMedia,
		title: "Caption and tag a media item", about: "Changes the members that the body names. Every reader sees it at once.",
	}, withMedia(a.changeMedia))
	handle(a, operation{
		method: http.MethodDelete, path: dashboard + one, id: "deleteMedia", tag: dashboardTag, action: access.DeleteMedia, status: http.StatusOK,
		title: "Delete a media item", about: "Its bytes go once nothing else needs them; entries that point to it show null, or leave it out of a list.",
		query: []*queryParam{ifUnusedParam}, fails: conflict,
	}, withMedia(a.deleteMedia))
	handle(a, operation{
		method: http.MethodGet, path: dashboard + one + "/usage", id: "listMediaUses", tag: dashboardTag, action: access.ViewMedia,
		title: "List where a media item is used",
		about: "The entries that show it in a version that readers see or can come to see, ordered by id: in their draft, to readers, or in an open approval request, in the trash too. The first " + strconv.Itoa(media.MaxUses) + ".",
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
	q, err := c.mediaQuery()
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

// mediaQuery reads the parameters of a list; the use case knows their limits.
func (c *call) mediaQuery() (q media.Query, err error) {
	for name, into := range map[string]*int64{"page": &q.Page, "perPage": &q.PerPage} {
		number, err := c.int(name)
		switch {
		case err != nil:
			return q, err
		case number != nil && *number == 0: // which would be the default
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

// recaptionMedia shows a token that may not read nothing but what its body named.
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
	form, err := newFormReader(c.r, c.op, c.stream, project.UploadLimit)
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
	// What makes two uploads the same: not the bytes of the form, whose boundary is
	// another each time.
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

// tagged answers a read with v under the entity tag of its bytes, unless it failed.
func (c *call) tagged(v any, err error) error {
	if err != nil {
		return err
	}
	return c.writeTaggedJSON(v)
}
