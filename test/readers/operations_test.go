package readers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/rest"
	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/release"
	"imprimatur/core/transfer"
)

// tick is the unit of the times that operations name.
const tick = 15 * time.Millisecond

type object = map[string]any

// bodies has, for each route that changes content, media, definitions or approvals, its relative
// frequency and a function that makes its body; nil means no body.
var bodies = map[string]struct {
	weight int
	make   func(*world) any
}{
	"createContent": {3, func(w *world) any { return w.write(true) }},
	"createEntry":   {2, func(w *world) any { return w.write(true) }},
	"updateContent": {5, func(w *world) any { return w.write(false) }},
	"updateEntry":   {4, func(w *world) any { return w.write(false) }},
	"trashContent":  {1, nil}, "deleteEntry": {1, nil}, "restoreContent": {2, nil}, "destroyContent": {1, nil},
	"restoreRevision": {3, nil},
	"publishContent":  {5, func(w *world) any { return w.period(object{}) }}, "unpublishContent": {1, nil}, "unscheduleContent": {1, nil},

	"approve": {16, func(*world) any { return object{} }}, "publishNow": {2, nil},
	"reject": {1, func(*world) any { return object{"comment": "no"} }}, "requestRevision": {1, func(*world) any { return object{"comment": "no"} }},
	"addComment":  {1, func(w *world) any { return object{"text": w.word(), "field": one(w, "title", "extra")} }},
	"editComment": {1, func(w *world) any { return object{"text": w.word()} }}, "deleteComment": {1, nil}, "resolveComment": {1, nil},
	"scheduleApproval": {2, func(w *world) any { return w.period(object{"publishAt": w.time()}) }},

	"createRelease": {2, func(w *world) any { return w.releaseTimes(object{"name": w.word()}) }}, "updateRelease": {1, func(w *world) any { return w.releaseTimes(object{}) }},
	"deleteRelease": {1, nil}, "putReleaseMembers": {1, func(w *world) any { return object{"members": w.releaseMembers()} }},
	"removeReleaseMembers": {1, func(w *world) any { return object{"entryIds": []int64{w.entryID(false)}} }},
	"publishRelease":       {2, func(w *world) any { return w.releaseTimes(object{}) }}, "unscheduleRelease": {1, nil}, "withdrawRelease": {1, nil}, "checkRelease": {1, nil},
	"revertRelease": {3, func(w *world) any { return object{"skipChanged": one(w, true, false)} }},
	"markReleaseMembers": {1, func(w *world) any {
		return object{"members": []object{{"entryId": w.entryID(false), "contentHash": nil}}}
	}},
	"approveRelease": {2, func(*world) any { return object{} }}, "publishNowRelease": {2, nil},
	"rejectRelease": {1, func(*world) any { return object{"comment": "no"} }}, "requestRevisionRelease": {1, func(*world) any { return object{"comment": "no"} }},
	"scheduleApprovalRelease": {1, func(w *world) any { return object{"publishAt": w.time()} }},
	"addCommentRelease":       {1, func(w *world) any { return object{"text": w.word()} }}, "editCommentRelease": {1, func(w *world) any { return object{"text": w.word()} }},
	"deleteCommentRelease": {1, nil}, "resolveCommentRelease": {1, nil},

	"uploadMedia": {2, nil}, "uploadPublicMedia": {2, nil},
	"updateMedia": {4, func(w *world) any { return object{"caption": w.word(), "tags": []string{w.word()}, "alt": w.word()} }},
	"updatePublicMedia": {4, func(w *world) any {
		return object{"caption": w.word(), "focalPoint": object{"x": 0.5, "y": float64(len(w.word())%5) / 4}}
	}},
	"moveMedia":   {1, func(w *world) any { return object{"ids": []int64{w.mediaID()}, "folder": w.word()} }},
	"deleteMedia": {3, nil}, "deletePublicMedia": {3, nil},

	"createCollection": {1, func(w *world) any { return object{"slug": w.word(), "name": "Spare"} }},
	"updateCollection": {1, func(w *world) any { return object{"name": w.word()} }}, "deleteCollection": {1, nil},
	"addField": {2, func(w *world) any {
		return one(w, object{"name": "extra", "type": "text"}, object{"name": "rank", "type": "number"})
	}},
	"updateField": {1, func(w *world) any {
		return one(w, object{"label": w.word()}, object{"hidden": one(w, true, false), "acknowledge": one(w, true, false)}, object{"indexed": false})
	}},
	"removeField": {1, nil},
	"fillField":   {2, func(w *world) any { return object{"fields": one(w, []string{"shots", "related"}, []string{"extra"})} }},

	"planSchema": {1, func(w *world) any {
		return object{"schema": one(w, "format: 1\n", "format: 1\ncollections:\n  - key: "+w.word()+"\n    name: Spare\n    fields: []\n")}
	}},

	"createComponent": {1, func(w *world) any {
		return object{"slug": w.word(), "name": "Part", "fields": []object{{"name": "title", "type": "text"}}}
	}},
	"updateComponent": {1, func(w *world) any { return object{"name": w.word()} }}, "deleteComponent": {1, nil},
	"addComponentField":    {1, func(*world) any { return object{"name": "extra", "type": "text"} }},
	"updateComponentField": {1, func(w *world) any { return object{"label": w.word()} }}, "removeComponentField": {1, nil},

	"updateProject": {1, func(w *world) any {
		change := one(w, object{"locales": []string{"en", "de", "fr"}}, object{"defaultLocale": one(w, "en", "de")}, object{"fallbacks": object{"de": []string{"en"}}}, object{"fallbacks": object{}})
		change["acknowledge"] = one(w, true, false)
		return change
	}},
	"challengeApproval":        {1, func(*world) any { return object{"decision": "approve", "meaning": "I reviewed this for accuracy"} }},
	"challengeApprovalRelease": {1, func(*world) any { return object{"decision": "approve", "meaning": "I reviewed this for accuracy"} }},
	"previewContent":           {1, func(*world) any { return object{"of": "draft", "others": "drafts"} }},
	"tryWorkflow":              {1, func(w *world) any { return object{"entryId": w.entryID(false)} }},
	"setProjectWorkflow": {1, func(w *world) any {
		return object{"allowSelfApproval": one(w, true, false), "steps": []object{
			{"stepOrder": 1, "requiredRoleKind": one(w, "admin", "department_admin")}, {"stepOrder": 2, "requiredRoleKind": "admin", "requiredCustomRoleId": one(w, nil, &w.Legal.ID)},
		}[:one(w, 1, 1, 2)]}
	}},
}

// excluded matches the routes of the Project that no operation calls: after the first two no workflow governs it, copies
// need another server and are kept like uploads, a stream of changes lasts and has what changes have,
// applying a file of definitions and undoing what an assistant did are what other operations do, and the others concern
// accounts and receivers of events.
var excluded = regexp.MustCompile(`^(removeProjectWorkflow|deleteProject|listenToChanges|copyMedia|undoAssistantRun|.*(apply|Public)Schema|.*(Token|ProjectMember|Webhook|Deliver(y|ies)).*)$`)

// chooseRoutes sets the routes that operations call: every route of the Project. It fails when a
// route that changes data is not in bodies.
func (w *world) chooseRoutes(all []rest.Route) {
	for _, r := range all {
		if !strings.HasPrefix(r.Path, "/api/projects/{projectId}") && !strings.HasPrefix(r.Path, "/public/v2/projects/{projectUuid}") || excluded.MatchString(r.ID) {
			continue
		}
		b, known := bodies[r.ID]
		if !known && r.Method != http.MethodGet {
			w.t.Errorf("route %s has no entry in bodies", r.ID)
		}
		for range max(b.weight, 1) {
			w.routes = append(w.routes, r)
		}
		if r.Method != http.MethodGet {
			w.routes = append(w.routes, r)
		}
	}
}

// operate performs one operation and describes it.
func (w *world) operate() string {
	switch w.random.IntN(14) {
	case 0:
		time.Sleep(time.Duration(w.random.IntN(3)) * tick) // schedules become due
		published, failed, err := w.Worker.PublishDue(w.Context())
		must(w.t, err)
		return fmt.Sprintf("the worker applied %d schedules, %d failed", published, failed)
	case 1:
		return w.importLine()
	case 2:
		_, err := w.sweeper.Sweep(w.Context(), 0)
		must(w.t, err)
		return "sweep"
	case 3, 4:
		return w.callNamed(w.nextOfReleases())
	default:
		return w.call(one(w, w.routes...))
	}
}

// nextOfReleases returns a route that a release needs to be published some day.
func (w *world) nextOfReleases() string {
	switch {
	case len(w.releases(release.Pending)) > 0:
		return "approveRelease"
	case len(w.releases(release.Open)) == 0:
		return "createRelease"
	default:
		return one(w, "putReleaseMembers", "publishRelease", "publishRelease")
	}
}

func (w *world) callNamed(id string) string {
	at := slices.IndexFunc(w.routes, func(r rest.Route) bool { return r.ID == id })
	return w.call(w.routes[at])
}

func (w *world) importLine() string {
	wr := w.write(false)
	delete(wr, "translationOf")
	wr["key"] = one(w, "k1", "k2")
	line, err := json.Marshal(wr)
	must(w.t, err)
	if len(w.living()) > most {
		return "no import: enough entries"
	}
	report, err := w.Importer.Import(w.Context(), core.Actor{System: true}, w.Project, w.Articles.ID, bytes.NewReader(line), transfer.ImportOptions{AllowIncomplete: one(w, true, false)})
	if core.KindOf(err) == core.KindInternal {
		must(w.t, err)
	}
	return fmt.Sprintf("import of %s: %+v, %v", line, report, err)
}

// most limits the number of entries and of media, so that many operations affect each.
const most = 4

// call calls the route as a random caller, usually one with permission.
func (w *world) call(r rest.Route) string {
	enough := len(w.living()) > most
	if r.ID == "createRelease" {
		enough = len(w.releases(release.Open)) > most
	}
	if strings.HasPrefix(r.ID, "create") && enough || strings.HasPrefix(r.ID, "upload") && len(w.items()) > most {
		return r.ID + " skipped: enough"
	}
	caller := one(w, "editor", "admin", "super", "tenant", "department", "legal")
	if strings.HasPrefix(r.Path, "/public") {
		caller = one(w, "token full", "token full", "token create", "token update", "token delete")
	}
	if w.random.IntN(6) == 0 {
		caller = one(w, w.names()...)
	}
	contentType, body := "", ""
	if create := bodies[r.ID].make; create != nil {
		raw, err := json.Marshal(create(w))
		must(w.t, err)
		body = string(raw)
	}
	if strings.HasPrefix(r.ID, "upload") {
		contentType, body = "multipart/form-data; boundary=x", w.form(strings.HasPrefix(r.Path, "/api"))
	}
	target := placeholder.ReplaceAllStringFunc(r.Path, func(name string) string { return w.parameter(r, strings.Trim(name, "{}")) })
	if r.ID == "removeField" || r.ID == "addField" || r.ID == "deleteCollection" {
		target += one(w, "", "?acknowledge=true")
	}
	if slices.Contains([]string{"unpublishContent", "trashContent", "deleteEntry", "updateContent"}, r.ID) {
		target += one(w, "", "?withdrawRelease=true")
	}
	if r.ID == "getApprovalDiffRelease" || r.ID == "listApprovalChangesRelease" {
		target += "?entryId=" + itoa(w.entryID(false))
	}
	status, answer := w.send(caller, r.Method, target, contentType, body)
	if status < http.StatusMultipleChoices && r.Method != http.MethodGet {
		w.succeeded[r.ID]++
	}
	return fmt.Sprintf("%s %s by %s with %q: %d %.200s", r.Method, target, caller, body, status, answer)
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

func (w *world) names() []string {
	names := make([]string, 0, len(w.callers))
	for name := range w.callers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// parameter returns a value of a parameter of the route's path.
func (w *world) parameter(r rest.Route, name string) string {
	switch name {
	case "projectId":
		return itoa(w.Project.ID)
	case "projectUuid":
		return w.Project.UUID
	case "collectionId":
		if r.ID == "deleteCollection" {
			return itoa(w.Articles.ID + int64(one(w, 1, 2, 3)))
		}
		return itoa(w.Articles.ID)
	case "componentId":
		return one(w, "1", "2", "3")
	case "slug":
		return w.Articles.Slug
	case "contentId", "entryId":
		open, err := w.Stores.Requests.Open(w.Context(), w.Project.ID, w.Articles.ID, 0, 100)
		must(w.t, err)
		if strings.Contains(r.Path, "/approval") && len(open) > 0 {
			r := one(w, open...)
			return itoa(r.Item().EntryID)
		}
		return itoa(w.entryID(r.ID == "restoreContent" || r.ID == "destroyContent"))
	case "releaseId":
		states := []release.State{release.Open}
		switch {
		case strings.Contains(r.Path, "/approval"):
			states = []release.State{release.Pending, release.Approved}
		case r.ID == "revertRelease":
			states[0] = release.Published
		}
		if found := w.releases(states...); len(found) > 0 && w.random.IntN(8) > 0 {
			return itoa(one(w, found...).ID)
		}
		return one(w, "1", "2", "3")
	case "mediaId":
		return itoa(w.mediaID())
	case "name":
		if r.ID == "fillField" {
			return "facts"
		}
		return one(w, "extra", "rank", "code", "cover", "note")
	case "number", "commentId":
		return one(w, "1", "2", "3")
	default:
		w.t.Fatalf("route %s has an unknown parameter %s", r.ID, name)
		return ""
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func (w *world) living() []core.Entry {
	return slices.DeleteFunc(w.entries(), func(e core.Entry) bool { return !e.TrashedAt.IsZero() })
}

// entryID returns the id of a random entry, in the trash if trashed is set; 1 if none exists.
func (w *world) entryID(trashed bool) int64 {
	fit := slices.DeleteFunc(w.entries(), func(e core.Entry) bool { return e.TrashedAt.IsZero() == trashed })
	if len(fit) == 0 {
		return 1
	}
	return one(w, fit...).ID
}

// releases returns the releases in these states.
func (w *world) releases(states ...release.State) []release.Release {
	found, err := w.Stores.Releases.Releases(w.Context(), release.Query{ProjectID: w.Project.ID, States: states, Limit: 100})
	must(w.t, err)
	return found
}

// releaseMembers returns one to three members: drafts, past publications and ends.
func (w *world) releaseMembers() (members []object) {
	free := slices.DeleteFunc(w.living(), func(e core.Entry) bool {
		open, err := w.Stores.Requests.OpenOf(w.Context(), w.Project.ID, []int64{e.ID})
		must(w.t, err)
		return len(open) > 0
	})
	if len(free) == 0 || w.random.IntN(8) == 0 {
		return []object{{"entryId": w.entryID(false)}}
	}
	w.random.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for _, e := range free[:min(len(free), 1+w.random.IntN(3))] {
		m := object{"entryId": e.ID}
		count, err := w.Stores.Publications.PublicationCount(w.Context(), w.Project.ID, e.CollectionID, e.ID)
		must(w.t, err)
		switch kind := w.random.IntN(4); {
		case kind == 0 && e.Published != nil:
			m["action"] = "unpublish"
		case kind == 1 && count > 0:
			m["from"] = object{"publication": 1 + w.random.Int64N(count)}
		}
		members = append(members, m)
	}
	return members
}

// releaseTimes sometimes adds the time of a release to body.
func (w *world) releaseTimes(body object) object {
	if w.random.IntN(3) == 0 {
		body["publishAt"] = w.time()
	}
	return body
}

// mediaID returns the id of a random item; 1 if none exists.
func (w *world) mediaID() int64 {
	if items := w.items(); len(items) > 0 {
		return one(w, items...).ID
	}
	return 1
}

func (w *world) word() string { return one(w, "ash", "birch", "cedar", "elm", "fir", "oak") }

// time returns a time near now, or null.
func (w *world) time() any {
	ticks := one(w, 0, -1, 1, 2, 4, 8)
	if ticks == 0 {
		return nil
	}
	return core.FormatTime(w.Clock.Now().Add(time.Duration(ticks) * tick))
}

// period sometimes adds the times of a publication to body.
func (w *world) period(body object) object {
	if at := w.time(); at != nil && w.random.IntN(2) == 0 {
		body["publishAt"] = at
	}
	if w.random.IntN(4) == 0 {
		body["unpublishAt"] = w.time()
	}
	return body
}

// parts returns the items of an article. Their keys are few, so that writes move and replace items.
func (w *world) parts(depth int) []object {
	items := []object{}
	for _, key := range []string{"a", "b"}[:w.random.IntN(3)] {
		item := object{core.ItemType: "part", core.ItemKey: key, "words": w.word()}
		switch w.random.IntN(5) {
		case 0:
			item["shot"] = w.mediaID()
		case 1:
			item["prose"] = w.text()
		case 2:
			item["see"] = w.entryID(false)
		case 3:
			if depth < 2 {
				item["inner"] = w.parts(depth + 1)
			}
		}
		items = append(items, item)
	}
	w.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items
}

// write returns a write of an entry.
func (w *world) write(isNew bool) object {
	fields := object{"title": w.word()}
	if w.random.IntN(2) == 0 {
		fields["cover"] = one(w, any(w.mediaID()), nil)
	}
	if w.random.IntN(2) == 0 {
		fields["shots"] = slices.Compact([]int64{w.mediaID(), w.mediaID()})
	}
	if w.random.IntN(2) == 0 {
		fields["related"] = []int64{w.entryID(false)}
	}
	if w.random.IntN(2) == 0 {
		fields["about"] = one(w, any(w.entryID(false)), nil)
	}
	if w.random.IntN(2) == 0 {
		fields["body"] = one(w, any(w.text()), any(w.text()), nil)
	}
	if w.random.IntN(2) == 0 {
		fields["parts"] = w.parts(1)
	}
	if w.random.IntN(3) == 0 {
		fields["note"] = w.word()
	}
	body := object{"fields": fields}
	switch w.random.IntN(3) {
	case 0:
		body["published"] = true
		w.period(body)
	case 1:
		body["published"] = w.random.IntN(4) > 0
	}
	if isNew && w.random.IntN(3) == 0 {
		body["locale"], body["translationOf"] = "de", w.entryID(false)
	}
	return body
}

// text returns rich text with a picture by its id or its address, a link to a file and a link to an
// article.
func (w *world) text() string {
	address := func(id int64) string {
		items, err := w.Stores.Media.MediaByIDs(w.Context(), w.Project.ID, []int64{id})
		must(w.t, err)
		if len(items) == 0 {
			return "/gone.png"
		}
		return fileurl.URL("", one(w, items[0].Blobs()...), items[0].FileName)
	}
	return "<p>" + w.word() + "</p>" + one(w,
		`<img data-media="`+itoa(w.mediaID())+`" alt="x">`, `<img data-media="`+itoa(w.mediaID())+`">`, `<img src="`+address(w.mediaID())+`">`, `<a href="`+address(w.mediaID())+`">x</a>`,
		`<a data-entry="`+itoa(w.entryID(false))+`">x</a>`)
}

// form returns an upload of a text.
func (w *world) form(tags bool) string {
	var b strings.Builder
	part := func(disposition, text string) {
		fmt.Fprintf(&b, "--x\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n", disposition, text)
	}
	part(`name="caption"`, w.word())
	part(`name="alt"`, w.word())
	if tags {
		part(`name="tags"`, w.word())
	}
	part(`name="file"; filename="`+url.PathEscape(w.word())+`.txt"`, "a text about "+one(w, "rivers", "lakes", "seas"))
	return b.String() + "--x--\r\n"
}
