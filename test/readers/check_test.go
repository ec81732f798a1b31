package readers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// version is the content of a request: its fields, and its media as the library had them when it
// was submitted.
type version struct {
	fields map[string]json.RawMessage
	media  map[int64]core.MediaItem
}

// submission identifies what a request publishes of an entry.
type submission struct{ request, entry int64 }

// learn records the content of the requests that the last operation opened.
func (w *world) learn() {
	opened, err := w.Stores.Requests.Walk(w.Context(), w.Project.ID, w.last, 100)
	must(w.t, err)
	if len(opened) == 0 {
		return
	}
	media := map[int64]core.MediaItem{}
	for _, item := range w.items() {
		media[item.ID] = item
	}
	for _, r := range opened {
		w.last = r.ID
		items, sources := r.Items, map[int64]int64{}
		if r.Release != nil {
			items, err = w.Stores.Requests.Items(w.Context(), w.Project.ID, r.ID)
			must(w.t, err)
			members, err := w.Stores.Releases.Members(w.Context(), w.Project.ID, r.Release.ID, false)
			must(w.t, err)
			for _, m := range members {
				sources[m.EntryID] = m.From
			}
		}
		for _, item := range items {
			if item.Action == schedule.Unpublish {
				continue
			}
			var snapshot struct{ Fields map[string]json.RawMessage }
			must(w.t, json.Unmarshal(item.Snapshot, &snapshot))
			w.versions[submission{r.ID, item.EntryID}] = version{snapshot.Fields, w.mediaOf(item, sources[item.EntryID], media)}
			w.requests[item.EntryID] = append(w.requests[item.EntryID], r.ID)
		}
	}
}

// mediaOf returns the media of an item of a request: those of the publication with the number source, unless it is 0, as
// they were in it unless they have left the library since, and the others as the library has them.
func (w *world) mediaOf(item review.RequestItem, source int64, library map[int64]core.MediaItem) map[int64]core.MediaItem {
	if source == 0 {
		return library
	}
	past, err := w.Stores.Publications.Publication(w.Context(), w.Project.ID, item.CollectionID, item.EntryID, source)
	must(w.t, err)
	var sealed struct{ Media map[int64]json.RawMessage }
	must(w.t, json.Unmarshal(past.Content, &sealed))
	media, then := maps.Clone(library), w.versions[submission{past.RequestID, item.EntryID}].media
	for id := range sealed.Media {
		if _, kept := library[id]; kept {
			media[id] = then[id]
		}
	}
	return media
}

// check reads every entry as a reader, in lists, alone and through relations.
func (w *world) check() {
	w.t.Helper()
	w.Reload()
	path := "/public/v2/projects/" + w.Project.UUID + "/collections/articles/entries"
	c := w.collection()
	for _, query := range []string{"?locale=*&limit=500", "?locale=de&limit=500", "?limit=500"} {
		status, answer := w.send("token reader", http.MethodGet, path+query, "", "")
		var list struct{ Data []map[string]json.RawMessage }
		if status != http.StatusOK || json.Unmarshal(answer, &list) != nil {
			w.t.Fatalf("the list answered %d: %s", status, answer)
		}
		for _, e := range list.Data {
			w.checkEntry(c, e)
			status, answer := w.send("token reader", http.MethodGet, path+"/"+string(e["id"]), "", "")
			var single map[string]json.RawMessage
			if status != http.StatusOK || json.Unmarshal(answer, &single) != nil {
				w.t.Fatalf("entry %s is in the list, but reading it answered %d: %s", e["id"], status, answer)
			}
			w.checkEntry(c, single)
		}
	}
}

// checkEntry checks that a published request has the content of the entry that a reader got.
func (w *world) checkEntry(c *core.Collection, e map[string]json.RawMessage) {
	w.t.Helper()
	w.seen++
	requests, err := w.Stores.Requests.ByIDs(w.Context(), w.Project.ID, w.requests[number(e["id"])])
	must(w.t, err)
	var faults []string
	for _, r := range requests {
		if r.Status != review.RequestPublished {
			continue
		}
		fault := w.differs(c, e, w.versions[submission{r.ID, number(e["id"])}])
		if fault == "" {
			return
		}
		faults = append(faults, fmt.Sprintf("%s: %s", r.ReleaseNumber(), fault))
	}
	shown, err := json.Marshal(e)
	must(w.t, err)
	w.t.Fatalf("readers see what no published request has: %s\n%q", shown, faults)
}

// differs returns how the entry differs from the version, "" if it does not.
func (w *world) differs(c *core.Collection, e map[string]json.RawMessage, v version) string {
	for name := range e {
		if !slices.Contains([]string{"id", "locale", "publishedAt"}, name) && (c.Field(name) == nil || c.Field(name).Secret()) {
			return name + " is not a field that readers see"
		}
	}
	return w.differentFields(c, c.Fields, e, v.fields, v)
}

// differentFields returns how values of fields of the collection, or of an item in it, differ from the
// reviewed ones.
func (w *world) differentFields(c *core.Collection, fields []*core.Field, e, of map[string]json.RawMessage, v version) string {
	for _, f := range fields {
		fault := ""
		switch shown, reviewed := elements(e[f.Name]), elements(of[f.Name]); {
		case f.Secret():
		case f.Structured():
			fault = w.differentItems(c, f, shown, reviewed, v)
		case f.Type == core.TypeMedia:
			fault = w.differentMedia(shown, reviewed, v)
		case f.Type == core.TypeRichText:
			fault = w.differentText(f, e[f.Name], of[f.Name], v)
		case f.Type == core.TypeRelation:
			fault = w.differentRelations(c, f, shown, reviewed)
		case !reflect.DeepEqual(shown, reviewed):
			fault = fmt.Sprintf("%s, not %s", e[f.Name], of[f.Name])
		}
		if fault != "" {
			return f.Name + " is " + fault
		}
	}
	return ""
}

// differentItems compares the items of a field with the reviewed ones, and what is inside of them.
func (w *world) differentItems(c *core.Collection, f *core.Field, shown, reviewed []string, v version) string {
	if len(shown) != len(reviewed) {
		return fmt.Sprintf("%v, not the items %v", shown, reviewed)
	}
	for i := range shown {
		w.seenItems++
		var item, want map[string]json.RawMessage
		must(w.t, json.Unmarshal([]byte(shown[i]), &item))
		must(w.t, json.Unmarshal([]byte(reviewed[i]), &want))
		slug := f.Component
		if f.Type == core.TypeBlocks {
			must(w.t, json.Unmarshal(item[core.ItemType], &slug))
		}
		if string(item[core.ItemType]) != string(want[core.ItemType]) || string(item[core.ItemKey]) != string(want[core.ItemKey]) {
			return fmt.Sprintf("%v, not the items %v", shown, reviewed)
		}
		if fault := w.differentFields(c, f.ComponentNamed(slug).Fields, item, want, v); fault != "" {
			return fmt.Sprintf("different in the item %s: %s", item[core.ItemKey], fault)
		}
	}
	return ""
}

// elements returns the values of a single or multiple field; none for null.
func elements(raw json.RawMessage) (list []string) {
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		values = []json.RawMessage{raw}
	}
	for _, value := range values {
		if len(value) > 0 && string(value) != "null" {
			list = append(list, string(value))
		}
	}
	return list
}

func number(raw []byte) (n int64) {
	_ = json.Unmarshal(raw, &n) // 0 for anything else
	return n
}

// differentMedia compares the words and the bytes of the media with the reviewed ones.
func (w *world) differentMedia(shown, reviewed []string, v version) string {
	reviewed = slices.DeleteFunc(slices.Clone(reviewed), func(id string) bool { return v.media[number([]byte(id))].ID == 0 })
	if len(shown) != len(reviewed) {
		return fmt.Sprintf("%v, not the media %v", shown, reviewed)
	}
	for i := range shown {
		w.seenMedia++
		var item struct {
			ID                int64
			FileName, FullURL string
			Caption           string
			Alt               string
			Tags              []string
			FocalPoint        *core.FocalPoint
		}
		must(w.t, json.Unmarshal([]byte(shown[i]), &item))
		want := v.media[number([]byte(reviewed[i]))]
		if item.ID != want.ID || item.FileName != want.FileName || item.Caption != want.Caption || item.Alt != want.Alt ||
			!slices.Equal(item.Tags, append([]string{}, want.Tags...)) || !item.FocalPoint.Equal(want.FocalPoint) {
			return fmt.Sprintf("%s, not the medium %+v", shown[i], want)
		}
		if hash := w.fetch(item.FullURL); hash != want.Hash {
			return fmt.Sprintf("the medium %d, whose address %s has the bytes %s", want.ID, item.FullURL, hash)
		}
	}
	return ""
}

// differentText compares rich text with the reviewed one, and the bytes of its media with the reviewed
// media.
func (w *world) differentText(f *core.Field, shown, reviewed json.RawMessage, v version) (fault string) {
	bare := f.EditLinks(shown, func(_ string, l *core.Link) {
		switch l.Target {
		case core.ToGroup:
			if e, err := w.Stores.Entries.Entry(w.Context(), w.Project.ID, l.ID); err == nil {
				l.PointTo(core.ToGroup, e.Group)
			}
			l.Remove("data-collection", "data-slug")
		case core.ToMedia:
			address, item := l.Address(), v.media[l.ID]
			if (address == "") != (item.ID == 0) {
				fault = fmt.Sprintf("the address %q of the medium %d", address, l.ID)
			} else if address != "" {
				w.seenMedia++
				if hash := w.fetch(address); hash != item.Hash {
					fault = fmt.Sprintf("the medium %d, whose address %s has the bytes %s", l.ID, address, hash)
				}
			}
			l.Remove("src", "href", "width", "height")
			switch {
			case !l.IsPicture() || item.Alt == "":
			case !l.Has("alt"):
				fault = fmt.Sprintf("the medium %d without its alt %q", l.ID, item.Alt)
			case l.Attribute("alt") == item.Alt:
				l.Remove("alt")
			}
		}
	})
	if fault == "" && string(bare) != string(canonicalText(reviewed)) && len(shown)+len(reviewed) > 0 {
		return fmt.Sprintf("%s, not %s", shown, reviewed)
	}
	return fault
}

// canonicalText returns null for an absent value.
func canonicalText(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// fetch returns the hash of the file at an address, or its status.
func (w *world) fetch(address string) string {
	at, err := url.Parse(address)
	must(w.t, err)
	status, bytes := w.send("anonymous", http.MethodGet, at.EscapedPath(), "", "")
	if status != http.StatusOK {
		return fmt.Sprint("status ", status)
	}
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:])
}

// differentRelations compares the translation groups of the related entries with the reviewed ones.
// Groups that are not public are absent. It also checks the related entries.
func (w *world) differentRelations(c *core.Collection, f *core.Field, shown, reviewed []string) string {
	rest := reviewed
	for _, raw := range shown {
		var related map[string]json.RawMessage
		must(w.t, json.Unmarshal([]byte(raw), &related))
		e, err := w.Stores.Entries.Entry(w.Context(), w.Project.ID, number(related["id"]))
		must(w.t, err)
		i := slices.Index(rest, itoa(e.Group))
		if i < 0 {
			return fmt.Sprintf("%v, not of the groups %v", shown, reviewed)
		}
		rest = rest[i+1:]
		named, whole := related[core.RelatedCollection], related["locale"] != nil
		if whole && f.ToSeveral() != (string(named) == `"`+c.Slug+`"`) {
			return fmt.Sprintf("%v, of the collection %s", shown, c.Slug)
		}
		delete(related, core.RelatedCollection)
		if whole {
			w.checkEntry(c, related)
		}
	}
	return ""
}
