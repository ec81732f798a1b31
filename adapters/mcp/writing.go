package mcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"imprimatur/adapters/wire"
)

type createInput struct {
	place
	richTextInput

	Fields        map[string]json.RawMessage `json:"fields" jsonschema:"values by field, as describe_collection says"`
	Locale        string                     `json:"locale,omitempty" jsonschema:"language of the entry; the default language of the project by default"`
	TranslationOf int64                      `json:"translationOf,omitempty" jsonschema:"id of an entry of the collection that the new one translates"`
	Note          string                     `json:"note,omitempty" jsonschema:"a note on the change for the revisions of the entry, at most 200 characters"`
}

// draftShown is a draft after a write.
type draftShown struct {
	ID      int64             `json:"id"`
	Version string            `json:"version" jsonschema:"for the next update_draft"`
	Locale  string            `json:"locale"`
	State   string            `json:"state" jsonschema:"draft, or published if readers see an earlier version"`
	Count   int               `json:"count" jsonschema:"number of faults"`
	Faults  []wire.DraftFault `json:"faults" jsonschema:"the first 50 of what prevents the publication of the draft"`
	Cleaned []wire.Cleaned    `json:"cleaned,omitempty" jsonschema:"markup that was removed from rich text"`
}

func draftOf(a *answer) (draftShown, error) {
	e, err := decodeManaged(a)
	shown := draftShown{ID: e.ID, Version: versionOf(a), Locale: e.Locale, State: e.State, Count: len(e.Faults), Faults: e.Faults, Cleaned: e.Cleaned}
	if shown.Faults = shown.Faults[:min(len(shown.Faults), maxFaults)]; shown.Faults == nil {
		shown.Faults = []wire.DraftFault{}
	}
	return shown, err
}

func (c *call) createDraft(in createInput) (draftShown, error) {
	path, err := c.content(in.place)
	if err != nil {
		return draftShown{}, err
	}
	texts, err := c.converter(in.place, in.richTextInput)
	if err != nil {
		return draftShown{}, err
	}
	fields, err := texts.written(in.Fields)
	if err != nil {
		return draftShown{}, err
	}
	body := map[string]any{"fields": fields}
	if in.Locale != "" {
		body["locale"] = in.Locale
	}
	if in.TranslationOf != 0 {
		body["translationOf"] = in.TranslationOf
	}
	if in.Note != "" {
		body["note"] = in.Note
	}
	made, err := c.do(request{method: http.MethodPost, path: path, body: body})
	if err != nil {
		return draftShown{}, err
	}
	return draftOf(made)
}

type updateInput struct {
	place
	richTextInput

	ID      int64                      `json:"id" jsonschema:"id of the entry"`
	Version string                     `json:"version" jsonschema:"version of the draft that was read"`
	Fields  map[string]json.RawMessage `json:"fields" jsonschema:"new values by field; null clears a field, other fields stay"`
	Note    string                     `json:"note,omitempty" jsonschema:"a note on the change for the revisions of the entry, at most 200 characters"`
}

func (c *call) updateDraft(in updateInput) (draftShown, error) {
	if in.Version == "" || in.Version == "*" {
		return draftShown{}, badArgument("version", "is required: read_entry has the version of the draft")
	}
	path, err := c.content(in.place, in.ID)
	if err != nil {
		return draftShown{}, err
	}
	texts, err := c.converter(in.place, in.richTextInput)
	if err != nil {
		return draftShown{}, err
	}
	fields, err := texts.written(in.Fields)
	if err != nil {
		return draftShown{}, err
	}
	body := map[string]any{"fields": fields}
	if in.Note != "" {
		body["note"] = in.Note
	}
	changed, err := c.do(request{method: http.MethodPatch, path: path, match: strconv.Quote(in.Version), body: body})
	if f, refused := errors.AsType[*fault](err); refused && f.Current != nil {
		texts.showCurrent(f)
	}
	if err != nil {
		return draftShown{}, err
	}
	return draftOf(changed)
}

type validateInput struct {
	place

	ID     int64  `json:"id" jsonschema:"id of the entry"`
	Cursor string `json:"cursor,omitempty" jsonschema:"cursor of the answer before"`
}

// validated is what a draft lacks. Its items are wire.DraftFaults.
type validated struct {
	list

	Complete bool `json:"complete" jsonschema:"whether nothing prevents the publication of the draft"`
}

func (c *call) validateDraft(in validateInput) (validated, error) {
	draft, err := c.draft(in.place, in.ID)
	if err != nil {
		return validated{}, err
	}
	found, err := window(draft.Faults, in.Cursor)
	return validated{found, len(draft.Faults) == 0}, err
}

// submitEntry is an entry to submit.
type submitEntry struct {
	Collection string `json:"collection" jsonschema:"slug of the collection"`
	ID         int64  `json:"id" jsonschema:"id of the entry"`
}

type submitInput struct {
	Project int64         `json:"project,omitempty" jsonschema:"id of the project; may be left out if there is only one"`
	Entries []submitEntry `json:"entries,omitempty" jsonschema:"one entry, or 2 to 500 for a release"`
	Name    string        `json:"name,omitempty" jsonschema:"of several entries: the name of the release"`
	Release int64         `json:"release,omitempty" jsonschema:"instead of entries: a release that an earlier call opened and could not submit"`
	Comment string        `json:"comment,omitempty" jsonschema:"a word to the reviewers"`
}

// submitted is the request that was opened.
type submitted struct {
	Request       int64  `json:"request" jsonschema:"id of the request; 0 if readers see the draft already"`
	ReleaseNumber string `json:"releaseNumber,omitempty"`
	Status        string `json:"status,omitempty"`
	Release       int64  `json:"release,omitempty" jsonschema:"id of the release"`
	Count         int    `json:"count,omitempty" jsonschema:"number of entries that were submitted; left out with release"`
}

func (c *call) submit(in submitInput) (submitted, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return submitted{}, err
	}
	all := managed(p, "releases")
	switch {
	case (in.Release != 0) == (len(in.Entries) > 0):
		return submitted{}, badArgument("entries", "or release is required, and not both")
	case in.Release != 0:
		return c.submitRelease(all, in.Release, 0, in.Comment)
	case len(in.Entries) == 1:
		path, err := c.content(place{p.ID, in.Entries[0].Collection}, in.Entries[0].ID)
		if err != nil {
			return submitted{}, err
		}
		return c.open(path+"/publish", in.Comment, 1)
	}
	members := make([]map[string]any, len(in.Entries))
	for i, e := range in.Entries {
		if _, err := c.collection(p, e.Collection); err != nil {
			return submitted{}, err
		}
		members[i] = map[string]any{"entryId": e.ID}
	}
	made, err := c.do(request{method: http.MethodPost, path: all, body: map[string]any{"name": in.Name}})
	if err != nil {
		return submitted{}, err
	}
	var release struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(made.body, &release); err != nil {
		return submitted{}, err
	}
	path := all + "/" + strconv.FormatInt(release.ID, 10)
	if _, err := c.do(request{method: http.MethodPost, path: path + "/members", body: map[string]any{"members": members}}); err != nil {
		return submitted{}, ofRelease(err, release.ID)
	}
	return c.submitRelease(all, release.ID, len(members), in.Comment)
}

// submitRelease submits a release.
func (c *call) submitRelease(all string, id int64, count int, comment string) (submitted, error) {
	done, err := c.open(all+"/"+strconv.FormatInt(id, 10)+"/publish", comment, count)
	done.Release = id
	return done, ofRelease(err, id)
}

// ofRelease adds the release that stays open to a fault.
func ofRelease(err error, id int64) error {
	if f, refused := errors.AsType[*fault](err); refused {
		f.Release = id
	}
	return err
}

// open submits what is at a path, and returns the request.
func (c *call) open(path, comment string, count int) (submitted, error) {
	body := map[string]any{}
	if comment != "" {
		body["comment"] = comment
	}
	got, err := c.do(request{method: http.MethodPost, path: path, body: body})
	if err != nil {
		return submitted{}, err
	}
	var opened struct {
		ID            int64  `json:"id"`
		ReleaseNumber string `json:"releaseNumber"`
		Status        string `json:"status"`
	}
	if got.status != http.StatusAccepted { // nothing differs from what readers see
		return submitted{Count: count}, nil
	}
	err = json.Unmarshal(got.body, &opened)
	return submitted{Request: opened.ID, ReleaseNumber: opened.ReleaseNumber, Status: opened.Status, Count: count}, err
}

type commentInput struct {
	Project    int64  `json:"project,omitempty" jsonschema:"id of the project; may be left out if there is only one"`
	Collection string `json:"collection,omitempty" jsonschema:"slug of the collection of the entry"`
	Entry      int64  `json:"entry,omitempty" jsonschema:"id of an entry with an open request or, with release, of one of its members"`
	Release    int64  `json:"release,omitempty" jsonschema:"id of a submitted release"`
	Field      string `json:"field,omitempty" jsonschema:"field that the comment is about"`
	Text       string `json:"text" jsonschema:"at most 4,000 characters"`
}

// commented is the comment that was added.
type commented struct {
	ID    int64 `json:"id"`
	Count int   `json:"count"`
}

func (c *call) comment(in commentInput) (commented, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return commented{}, err
	}
	body := map[string]any{"text": in.Text}
	if in.Field != "" {
		body["field"] = in.Field
	}
	var path string
	switch {
	case in.Release != 0:
		path = managed(p, "releases", strconv.FormatInt(in.Release, 10))
		if in.Entry != 0 {
			body["entryId"] = in.Entry
		}
	case in.Entry != 0:
		if path, err = c.content(place{p.ID, in.Collection}, in.Entry); err != nil {
			return commented{}, err
		}
	default:
		return commented{}, badArgument("entry", "or release is required")
	}
	made, err := c.do(request{method: http.MethodPost, path: path + "/approval/comments", body: body})
	if err != nil {
		return commented{}, err
	}
	out := commented{Count: 1}
	return out, json.Unmarshal(made.body, &out)
}
