package rest

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strconv"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/rest/internal/jsonbody"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/cachetag"
	"imprimatur/core/library"
	"imprimatur/core/media"
)

// mediaPage is one page of a media library.
type mediaPage = wire.Pages[shownMedia]

// shownMedia is an item of a media library.
type shownMedia = wire.Encoded[wire.MediaItem]

// uploadedMedia is an item of a media library in the response to its upload.
type uploadedMedia = wire.Encoded[wire.UploadedMedia]

func (a *API) showMedia(item core.MediaItem) shownMedia { return wire.MediaItemOf(a.Files, item) }

// Parts of the upload forms.
var (
	captionPart = endpoint.TextPart{Name: "caption", About: "The caption of the file.", Example: "The harbour at dawn"}
	altPart     = endpoint.TextPart{Name: "alt", About: "Describes a picture to readers who do not see it. At most 500 characters.", Example: "Fishing boats in a harbour, the sun low behind them"}
	focalPart   = endpoint.TextPart{Name: "focalPoint", About: "The point that stays visible when the picture is cropped, as JSON: fractions of the width and the height, from the top left.", Example: `{"x":0.25,"y":0.4}`}
	folderPart  = endpoint.TextPart{Name: "folder", About: "Up to 5 names of at most 60 characters, joined by slashes. Folders exist as long as items are in them.", Example: "Press/2026"}
	tagsPart    = endpoint.TextPart{Name: "tags", About: "One tag. Repeat the part for more tags.", Example: []string{"harbour", "morning"}, Many: true}
)

// Query parameters of media libraries.
var (
	mediaListParams = append(endpoint.PageParams("items", media.DefaultPerPage),
		endpoint.TextParam("search", "A part of the caption, the file name or a tag, accents and case aside.", "harbour"),
		endpoint.TextParam("folder", "Only the items of exactly this folder, without those of the folders in it; empty: the items in no folder.", "Press/2026"),
		endpoint.EnumParam("type", "The kind of file.", nil, "image", "video", "audio", "document"))
	ifUnusedParam = endpoint.FlagParam("ifUnused", "Deletes the item only if no entry uses it. Otherwise the status is 409 and the problem lists the entries.")
)

const aboutUpload = "The body is a form with a file. The file can have any size up to the limit of the Project; the upload has no time limit as long as data keeps arriving. " +
	"All renditions of a picture exist when the response arrives. " +
	"Metadata that says where a picture was taken is removed from JPEG, PNG, WebP, GIF, AVIF and HEIC files, unless keepLocation of the Project is true. " +
	"AVIF and HEIC pictures, and pictures that are damaged after their beginning, are kept without renditions; warnings says so. Browsers do not show HEIC. " +
	"The type is detected from the content: pictures, video, audio, PDF, office documents, plain text and zip are accepted, " +
	"web pages and programs are rejected. Uploading the same file twice creates two items that share one stored file."

const aboutCopy = "Loads the file at url and adds it to the library, with the rules of an upload. The url must be an https address on port 443 of a public host, " +
	"unless the operator allows more (--webhook-allow). Redirects are not followed. The file must arrive within 45 seconds."

const aboutFolders = "Folders have no rights of their own and are no part of the addresses of files; readers of entries do not see them."

// The effects of library changes on readers of entries.
const (
	aboutWords = "Readers of the library see the change immediately. Readers of entries do too, unless a workflow governs the Project: " +
		"they see the words that were approved, until the entry is submitted and approved again."
	aboutDeletion = "The file is removed when no other item needs it. Entries with the item show null instead, or omit it from a list. " +
		"If a workflow governs the Project, an item that published entries or open approval requests show is not deleted: " +
		"the status is 409 `in_use`, and the problem lists the entries, as `collections/articles/entries/42`. Unpublish them or withdraw the requests first."
)

// registerMedia registers the media operations of both APIs.
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
			public, "Public media", "PublicMedia", access.ReadPublicOnly, access.CreatePublic, access.DeletePublic, true,
			[]endpoint.TextPart{captionPart, altPart, focalPart, folderPart}, nil,
		},
		{
			dashboard, "Media", "Media", access.ViewMedia, access.WriteMedia, access.DeleteMedia, false,
			[]endpoint.TextPart{captionPart, altPart, focalPart, folderPart, tagsPart}, []*endpoint.QueryParam{ifUnusedParam},
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
			id := c.ID("mediaId")
			a.dependOn(c, func(d *cachetag.Dependencies) { d.Medium(id) })
			found, err := a.Media.Item(c.Context(), c.Project(), id)
			return wire.Shown(found, err, a.showMedia)
		})
		endpoint.HandleUpload[uploadedMedia](a.set, endpoint.Operation{
			Method: http.MethodPost, Path: api.base + "/upload", ID: "upload" + api.noun, Tag: api.tag, Action: api.upload,
			Title: "Upload a file", About: aboutUpload, Form: api.form,
		}, a.uploadMedia)
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodDelete, Path: api.base + one, ID: "delete" + api.noun, Tag: api.tag, Action: api.remove, Status: http.StatusOK,
			Title: "Delete a media item", About: aboutDeletion, Query: api.removeQuery, Fails: []core.Kind{core.KindConflict},
		}, a.deleteMedia)
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: dashboard + "/copy", ID: "copyMedia", Tag: "Media", Action: access.WriteMedia,
		Status: http.StatusCreated, Idempotent: true, Waits: true, Headers: []string{"Location"},
		Fails: []core.Kind{core.KindTooLarge, core.KindUnsupportedMedia, core.KindStorageFull},
		Title: "Copy a file of another site", About: aboutCopy,
	}, a.copyMedia)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: dashboard + "/move", ID: "moveMedia", Tag: "Media", Action: access.WriteMedia, Status: http.StatusOK, Idempotent: true,
		Title: "Move media to a folder",
		About: "Moves all items or none: an unknown id is a fault. Each item that was in another folder has an event media.updated. " + aboutFolders,
	}, func(c *endpoint.Call, in wire.MediaMove) (wire.MediaMoved, error) {
		moved, err := a.Media.Move(c.Context(), c.Actor, c.Project(), in.IDs, in.Folder)
		return wire.MediaMoved{Moved: moved}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: dashboard + "/folders", ID: "listMediaFolders", Tag: "Media", Action: access.ViewMedia,
		Title: "List the folders of a media library",
		About: "Returns the folders that have items, with their number, ordered by path. The list has at most " + strconv.Itoa(library.MaxFolders) + " folders. " + aboutFolders,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.MediaFolder], error) {
		found, err := a.Media.Folders(c.Context(), c.Project())
		return wire.ListOf(found, err, wire.MediaFolderOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: public + one, ID: "updatePublicMedia", Tag: "Public media", Action: access.UpdatePublic,
		Title: "Change a media item", About: "Changes the members that the body contains. " + aboutWords,
	}, a.changePublicMedia)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: dashboard + one, ID: "updateMedia", Tag: "Media", Action: access.WriteMedia,
		Title: "Change a media item", About: "Changes the members that the body contains. " + aboutWords,
	}, a.changeMedia)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: dashboard + one + "/usage", ID: "listMediaUses", Tag: "Media", Action: access.ViewMedia,
		Title: "List the uses of a media item",
		About: "Returns the entries that show the item, in a media field or in rich text, in the draft, in the published version or in an open approval request, ordered by id and including the trash. The list has at most " + strconv.Itoa(library.MaxUses) + " entries.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.MediaUse], error) {
		found, err := a.Media.Uses(c.Context(), c.Project(), c.ID("mediaId"))
		return wire.ListOf(found, err, wire.MediaUseOf)
	})
}

func (a *API) listMedia(c *endpoint.Call, _ endpoint.None) (mediaPage, error) {
	q, err := mediaQuery(c)
	if err != nil {
		return mediaPage{}, err
	}
	a.dependOn(c, (*cachetag.Dependencies).Library)
	found, err := a.Media.List(c.Context(), c.Project(), q)
	return wire.PagesOf(found, err, a.showMedia)
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
	if folder, given := c.Params["folder"]; given {
		q.Folder = &folder
	}
	return q, nil
}

func (a *API) changeMedia(c *endpoint.Call, in wire.MediaChange) (shownMedia, error) {
	found, err := a.mediaChanged(c, in)
	return wire.Shown(found, err, a.showMedia)
}

// changePublicMedia returns only the members of the body to a token without the ability read.
func (a *API) changePublicMedia(c *endpoint.Call, in wire.MediaChange) (wire.Encoded[wire.ChangedMedia], error) {
	item, err := a.mediaChanged(c, in)
	if err != nil || c.Actor.Token.Can(core.AbilityRead) {
		return wire.Encoded[wire.ChangedMedia](a.showMedia(item)), err
	}
	return wire.ChangedMediaOf(item, in)
}

func (a *API) mediaChanged(c *endpoint.Call, in wire.MediaChange) (core.MediaItem, error) {
	return a.Media.Change(c.Context(), c.Actor, c.Project(), c.ID("mediaId"), media.Change{
		Caption: in.Caption.OrZero(), Alt: in.Alt.OrZero(), Tags: in.Tags.OrZero(), Folder: in.Folder.OrZero(), FocalPoint: wire.FocalPointChange(in.FocalPoint),
	})
}

func (a *API) deleteMedia(c *endpoint.Call, _ endpoint.None) (wire.Deletion, error) {
	ifUnused := c.Bool("ifUnused")
	if err := c.BadQuery(); err != nil {
		return wire.Deletion{}, err
	}
	return wire.Deletion{Success: true}, a.Media.Delete(c.Context(), c.Actor, c.Project(), c.ID("mediaId"), ifUnused)
}

func (a *API) copyMedia(c *endpoint.Call, in wire.MediaCopy) (uploadedMedia, error) {
	item, warnings, err := a.Media.Copy(c.Context(), c.Actor, c.Project(), in.URL)
	if err != nil {
		return uploadedMedia{}, err
	}
	c.Writer.Header().Set("Location", path.Dir(c.Request.URL.EscapedPath())+"/"+strconv.FormatInt(item.ID, 10))
	return wire.UploadedMediaOf(a.Files, item, warnings)
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
	details, err := mediaDetails(form.Texts)
	if err != nil {
		return err
	}
	// The fingerprint of an upload does not use the bytes of the form, because its
	// boundary differs with each request.
	same, err := json.Marshal([]any{received.Hash(), fileName, form.Texts})
	if err != nil {
		return err
	}
	return c.Once(same, func() error {
		item, err := a.Media.Keep(c.Context(), c.Actor, project, received, details)
		if err != nil {
			return err
		}
		c.Writer.Header().Set("Location", path.Dir(c.Request.URL.EscapedPath())+"/"+strconv.FormatInt(item.ID, 10))
		shown, err := wire.UploadedMediaOf(a.Files, item, received.Warnings())
		if err != nil {
			return err
		}
		return c.WriteJSON(shown)
	})
}

// mediaDetails returns the details in the texts of an upload form, by the names of their parts. The
// focal point is JSON; an empty text means none.
func mediaDetails(texts map[string][]string) (details media.Change, err error) {
	only := func(part endpoint.TextPart) *string {
		if texts := texts[part.Name]; len(texts) > 0 {
			return &texts[0]
		}
		return nil
	}
	details.Caption, details.Alt, details.Folder = only(captionPart), only(altPart), only(folderPart)
	if tags, ok := texts[tagsPart.Name]; ok {
		details.Tags = &tags
	}
	point := only(focalPart)
	if point == nil || *point == "" {
		return details, nil
	}
	// The text is decoded as the member of a body, so that faults have the same locations.
	var in struct {
		FocalPoint wire.Optional[wire.FocalPointInput] `json:"focalPoint"`
	}
	err = jsonbody.Decode([]byte(`{"focalPoint":`+*point+`}`), &in)
	if !json.Valid([]byte(*point)) || err != nil && core.KindOf(err) != core.KindInvalid {
		return details, core.Invalid(core.FieldError{Location: focalPart.Name, Message: `must be JSON like {"x":0.25,"y":0.4}`})
	}
	details.FocalPoint = wire.FocalPointChange(in.FocalPoint)
	return details, err
}
