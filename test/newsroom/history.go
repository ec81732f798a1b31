package newsroom

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// Engine is the set of adapters that a history runs on.
type Engine struct {
	Stores ports.Stores
	Tx     ports.Tx
	Clock  ports.Clock
	// Tick is the unit of time. Pass waits for some ticks.
	Tick time.Duration
	Pass func(ticks int)
}

// CheckHistory applies random actions of users to a Fixture and verifies these invariants
// after each:
//
//   - public content was published without a workflow, or is the snapshot, by its
//     hash, of a request whose every step was approved by an entitled user;
//   - readers see the words of media of this request if the project is governed, and those of
//     the library otherwise;
//   - a media item that readers or reviewers see is not deleted;
//   - an entry has at most one open request, and none in the trash;
//   - release numbers have no gap and no duplicate;
//   - every audit trail verifies;
//   - exactly the approved requests are scheduled, and nothing is published early;
//   - each inbox contains exactly the requests that its user may approve;
//   - a request has the users with writes since the last publication as its contributors;
//   - only users that may change the times of an open request change them;
//   - past revisions do not change, and requests refer to kept ones;
//   - a tenant admin can withdraw every open request.
//
// Locales and fields change between the actions and during them. At the end, index checks
// find nothing, and lists equal the documents.
//
// It computes independently which users are entitled, from the roles it granted and revoked.
func CheckHistory(rt *rapid.T, engine Engine) {
	h := &history{
		Fixture: New(rt, engine.Stores, engine.Tx, engine.Clock), engine: engine,
		roles: map[string]map[core.Role]bool{}, customs: map[string]map[int64]bool{}, inactive: map[string]bool{},
		governed: map[int64]bool{}, approvals: map[int64][]int64{}, public: map[int64]string{}, words: map[int64]string{}, revised: map[int64]map[int64]string{}, seen: map[int64]review.Request{},
		authors: map[int64]*authors{}, contributors: map[int64][]int64{},
	}
	h.addParts()
	for name, role := range Users {
		h.roles[name] = map[core.Role]bool{role: role != ""}
		h.customs[name] = map[int64]bool{}
	}
	h.customs["legal"][h.Legal.ID], h.customs["brand"][h.Brand.ID] = true, true
	// Repeated entries give frequent actions more weight.
	rt.Repeat(map[string]func(*rapid.T){
		"create": h.act(h.create), "edit": h.act(h.edit), "edit again": h.act(h.edit), "other writes": h.one(h.translate, h.importLine),
		"submit": h.act(h.submit), "submit again": h.act(h.submit), "publish": h.act(h.publish),
		"unpublish": h.act(h.unpublish), "trash": h.one(h.trash, h.restore, h.restore, h.destroy),
		"approve": h.act(h.approve), "approve again": h.act(h.approve), "approve on": h.act(h.approve), "approve further": h.act(h.approve),
		"end": h.one(h.reject, h.revise), "publish now": h.act(h.publishNow), "reschedule": h.act(h.reschedule),
		"workflow": h.one(h.setWorkflow, h.removeWorkflow), "people": h.one(h.changeRole, h.changeCustomRole, h.changeAccount, h.move),
		"media":     h.one(h.recaption, h.recaption, h.deletePicture),
		"pass time": h.act(h.passTime), "redefine": h.act(h.redefine), "meanwhile": h.act(h.meanwhile), "": h.check,
	})
	h.withdrawAll()
	h.OK(h.Backfill(h.Context()))
	h.CheckLists(h.Articles.ID)
	h.CheckValues(h.Articles.ID)
	h.Check()
}

// history is the expected state of a Fixture.
type history struct {
	*Fixture

	engine Engine

	roles    map[string]map[core.Role]bool
	customs  map[string]map[int64]bool
	inactive map[string]bool // deactivated users

	governed  map[int64]bool             // departments with a workflow; 0 is the project
	approvals map[int64][]int64          // entitled approvers by request
	public    map[int64]string           // published documents before the current action
	words     map[int64]string           // the media that readers saw before it, by entry
	revised   map[int64]map[int64]string // contents of past revisions by entry and number
	seen      map[int64]review.Request   // requests before the current action, by id
	direct    func(id int64) bool        // whether the current action may publish the entry directly

	acting       core.Actor         // the writer of the current action
	authors      map[int64]*authors // by entry
	contributors map[int64][]int64  // ids of users by request, in order
}

// act wraps one action and records the state before it.
func (h *history) act(do func(*rapid.T)) func(*rapid.T) {
	return func(rt *rapid.T) {
		governed := h.projectGoverned()
		open := map[int64]bool{}
		for _, r := range h.seen {
			open[r.Item().EntryID] = open[r.Item().EntryID] || r.Status.Open()
		}
		h.direct = func(id int64) bool { return !governed && !open[id] }
		h.acting = core.Actor{}
		do(rt)
	}
}

// one draws one of several actions.
func (h *history) one(kinds ...func(*rapid.T)) func(*rapid.T) {
	return h.act(func(rt *rapid.T) { rapid.SampledFrom(kinds).Draw(rt, "kind")(rt) })
}

func (h *history) projectGoverned() bool {
	return h.governed[0] || h.Project.DepartmentID != 0 && h.governed[h.Project.DepartmentID]
}

// Generators.
var (
	names  = rapid.SampledFrom(slices.Sorted(maps.Keys(Users)))
	titles = rapid.SampledFrom([]string{"a", "b", "c"})
	codes  = rapid.SampledFrom([]string{"", "", "", "x", "y"})
	notes  = rapid.SampledFrom([]string{"", "", "psst", "hush"})
	boxes  = rapid.SampledFrom([]*bool{nil, nil, new(true), new(true), new(false)})
)

// time draws a time to publish, nil for none.
func (h *history) time(rt *rapid.T) *time.Time {
	ticks := rapid.SampledFrom([]int{0, 0, 0, -1, 1, 3, 9}).Draw(rt, "in ticks")
	if ticks == 0 {
		return nil
	}
	return new(h.Clock.Now().Add(time.Duration(ticks) * h.engine.Tick))
}

// optional draws an absent member, null or a time.
func optional(rt *rapid.T, draw func(*rapid.T) *time.Time) (drawn core.Optional[time.Time]) {
	if drawn.Given = rapid.IntRange(0, 2).Draw(rt, "given") == 0; drawn.Given {
		drawn.Value = draw(rt)
	}
	return drawn
}

func (h *history) write(rt *rapid.T) core.EntryWrite {
	wr := Article(titles.Draw(rt, "title"))
	if code := codes.Draw(rt, "code"); code != "" {
		Field("code", code)(&wr)
	}
	if note := notes.Draw(rt, "note"); note != "" {
		Field("note", note)(&wr)
	}
	if n := rapid.IntRange(0, 4).Draw(rt, "cover"); n < mostPictures {
		Cover(h.picture(n))(&wr)
	}
	if n := rapid.IntRange(0, 4).Draw(rt, "body"); n < mostPictures {
		Field("body", fmt.Sprintf(`<p><img data-media="%d" alt="x"></p>`, h.picture(n)))(&wr)
	}
	if rapid.Bool().Draw(rt, "parts") {
		wr.Fields.Raw["parts"] = h.parts(rt)
	}
	if wr.Published = boxes.Draw(rt, "published"); wr.Published != nil && *wr.Published {
		wr.PublishAt, wr.UnpublishAt = h.time(rt), optional(rt, h.time)
	}
	return wr
}

// addParts gives the articles a field of blocks. Parts are in parts, to two levels.
func (h *history) addParts() {
	h.Helper()
	in := func(name string, t core.FieldType) definition.FieldInput {
		return definition.FieldInput{Name: name, Type: t}
	}
	_, err := h.Collections.Components().Create(h.Context(), core.SystemActor, h.Project, definition.CollectionInput{Slug: "part", Name: "Part", Fields: []definition.FieldInput{
		in("words", core.TypeText), in("shot", core.TypeMedia), in("prose", core.TypeRichText), {Name: "see", Type: core.TypeRelation, Collection: "articles"},
		{Name: "inner", Type: core.TypeBlocks, Components: []string{"part"}},
	}})
	h.OK(err)
	change := definition.Change{Actor: core.SystemActor, Project: h.Project, CollectionID: h.Articles.ID}
	h.Articles, err = h.Collections.AddField(h.Context(), change, definition.FieldInput{Name: "parts", Type: core.TypeBlocks, Components: []string{"part"}})
	h.OK(err)
}

// parts draws the items of an article. Their keys are few, so that writes move and replace items.
func (h *history) parts(rt *rapid.T) json.RawMessage {
	var draw func(depth int) []map[string]any
	draw = func(depth int) []map[string]any {
		items := []map[string]any{}
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, rapid.ID).Draw(rt, "keys") {
			item := map[string]any{core.ItemType: "part", core.ItemKey: key, "words": titles.Draw(rt, "words")}
			switch rapid.IntRange(0, 5).Draw(rt, "part") {
			case 0:
				item["shot"] = h.picture(rapid.IntRange(0, mostPictures-1).Draw(rt, "shot"))
			case 1:
				item["prose"] = fmt.Sprintf(`<p><img data-media="%d" alt="x"></p>`, h.picture(rapid.IntRange(0, mostPictures-1).Draw(rt, "in prose")))
			case 2:
				if all := h.entries(); len(all) > 0 {
					item["see"] = rapid.SampledFrom(all).Draw(rt, "see").ID
				}
			case 3:
				if depth < 2 {
					item["inner"] = draw(depth + 1)
				}
			}
			items = append(items, item)
		}
		return items
	}
	text, err := json.Marshal(draw(1))
	h.OK(err)
	return text
}

// writer draws a writer: users and tokens that are already authorized.
func (h *history) writer(rt *rapid.T) core.Actor {
	if name := rapid.SampledFrom([]string{"editor", "admin", "tenant", "token"}).Draw(rt, "writer"); name != "token" {
		h.acting = h.Actor(name)
	} else {
		h.acting = h.Token()
	}
	return h.acting
}

func (h *history) entries() []core.Entry {
	all, err := h.Stores.Entries.Walk(h.Context(), h.Project.ID, h.Articles.ID, 0, 1000)
	h.OK(err)
	return all
}

// entry draws a fitting entry, and skips the action if none exists.
func (h *history) entry(rt *rapid.T, fits func(core.Entry) bool) core.Entry {
	all := slices.DeleteFunc(h.entries(), func(e core.Entry) bool { return !fits(e) })
	if len(all) == 0 {
		rt.Skip("no such entry")
	}
	return rapid.SampledFrom(all).Draw(rt, "entry")
}

func live(e core.Entry) bool    { return e.TrashedAt.IsZero() }
func trashed(e core.Entry) bool { return !e.TrashedAt.IsZero() }

// expected reports success, and fails on errors other than refusals.
func (h *history) expected(err error) bool {
	switch core.KindOf(err) {
	case core.KindInternal, core.KindUnavailable:
		h.OK(err)
	}
	return err == nil
}

// mostLive limits the number of entries, so that many actions affect each.
const mostLive = 3

func (h *history) room(rt *rapid.T) {
	if len(slices.DeleteFunc(h.entries(), trashed)) >= mostLive {
		rt.Skip("enough entries")
	}
}

func (h *history) create(rt *rapid.T) {
	h.room(rt)
	_, err := h.Writer.Create(h.Context(), h.writer(rt), h.Project, h.Articles.ID, h.write(rt))
	h.expected(err)
}

func (h *history) edit(rt *rapid.T) {
	e := h.entry(rt, live)
	_, err := h.Writer.Update(h.Context(), h.writer(rt), h.Ref(e.ID), nil, h.write(rt))
	h.expected(err)
}

func (h *history) translate(rt *rapid.T) {
	h.room(rt)
	e := h.entry(rt, live)
	wr := h.write(rt)
	wr.TranslationOf, wr.Locale = &e.ID, new(rapid.SampledFrom(h.Project.Locales).Draw(rt, "locale"))
	_, err := h.Writer.Create(h.Context(), h.writer(rt), h.Project, h.Articles.ID, wr)
	h.expected(err)
}

func (h *history) importLine(rt *rapid.T) {
	h.room(rt)
	wr := h.write(rt)
	line, err := json.Marshal(map[string]any{"key": codes.Draw(rt, "key"), "published": wr.Published, "fields": wr.Fields})
	h.OK(err)
	_, err = h.Importer.Import(h.Context(), core.Actor{System: true}, h.Project, h.Articles.ID, bytes.NewReader(line), transfer.ImportOptions{})
	h.expected(err)
}

func (h *history) publish(rt *rapid.T) {
	e := h.entry(rt, live)
	_, err := h.Writer.Publish(h.Context(), h.writer(rt), h.Ref(e.ID), writing.Publication{At: h.time(rt), Until: optional(rt, h.time)}, nil)
	h.expected(err)
}

// submit publishes under a workflow, which it sets if missing. It makes requests more
// frequent.
func (h *history) submit(rt *rapid.T) {
	if !h.projectGoverned() {
		h.setWorkflow(rt)
		return
	}
	h.publish(rt)
}

func (h *history) unpublish(rt *rapid.T) {
	_, err := h.Writer.Unpublish(h.Context(), h.writer(rt), h.Ref(h.entry(rt, live).ID), nil, "")
	h.expected(err)
}

func (h *history) trash(rt *rapid.T) {
	_, err := h.Writer.Trash(h.Context(), h.writer(rt), h.Ref(h.entry(rt, live).ID), nil, "")
	h.expected(err)
}

func (h *history) restore(rt *rapid.T) {
	_, err := h.Writer.Restore(h.Context(), h.writer(rt), h.Ref(h.entry(rt, trashed).ID), nil)
	h.expected(err)
}

func (h *history) destroy(rt *rapid.T) {
	h.expected(h.Writer.Destroy(h.Context(), h.writer(rt), h.Ref(h.entry(rt, trashed).ID), nil, ""))
}

// request draws an open request, sometimes any request.
func (h *history) request(rt *rapid.T) review.Request {
	closed := rapid.IntRange(0, 9).Draw(rt, "any") == 0
	var all []review.Request
	for _, r := range h.requests() {
		if closed || r.Status.Open() {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		rt.Skip("no such request")
	}
	return rapid.SampledFrom(all).Draw(rt, "request")
}

func (h *history) requests() []review.Request {
	all, err := h.Stores.Requests.Walk(h.Context(), h.Project.ID, 0, 10000)
	h.OK(err)
	return all
}

// reviewer draws a user, usually one that may approve r.
func (h *history) reviewer(rt *rapid.T, r review.Request) string {
	var fit []string
	for _, name := range slices.Sorted(maps.Keys(Users)) {
		if h.mayApprove(name, &r) {
			fit = append(fit, name)
		}
	}
	if len(fit) > 0 && rapid.IntRange(0, 3).Draw(rt, "any user") > 0 {
		return rapid.SampledFrom(fit).Draw(rt, "user")
	}
	return names.Draw(rt, "name")
}

func (h *history) approve(rt *rapid.T) {
	r := h.request(rt)
	name := h.reviewer(rt, r)
	latest := h.latest(r)
	may := h.mayApprove(name, &latest)
	var in approval.Decision
	guard := rapid.IntRange(0, 4).Draw(rt, "guard")
	switch guard {
	case 0:
		in.StepOrder = new(99)
	case 1:
		in.ContentHash = new(r.ContentHash())
	}
	before := h.Clock.Now()
	v, err := h.Reviews.Approve(h.Context(), h.Actor(name), review.EntryRef{Project: h.Project, CollectionID: r.Item().CollectionID, ID: r.Item().EntryID}, in)
	if !h.expected(err) {
		if may && guard != 0 && latest.ContentHash() == r.ContentHash() && !refusedByContent(err) {
			rt.Fatalf("%s may approve request %d, but was refused: %v", name, r.ID, err)
		}
		return
	}
	if !may || guard == 0 {
		rt.Fatalf("%s may not approve request %d, but did", name, r.ID)
	}
	h.approvals[latest.ID] = append(h.approvals[latest.ID], h.IDs[name])
	early := v.Request.ScheduledAt.After(h.Clock.Now())
	if v.Request.Status == review.RequestPublished && early || v.Request.Status == review.RequestApproved && !v.Request.ScheduledAt.After(before) {
		rt.Fatalf("at %s the request scheduled for %s became %s", before, v.Request.ScheduledAt, v.Request.Status)
	}
}

// latest returns the latest request of r's entry, to which decisions apply.
func (h *history) latest(r review.Request) review.Request {
	found, err := h.Stores.Requests.EntryRequests(h.Context(), h.Project.ID, r.Item().EntryID, 1)
	h.OK(err)
	return found[0]
}

// refusedByContent reports whether a unique value was taken by another entry, or the end of the
// publication is past.
func refusedByContent(err error) bool {
	var fault *core.Error
	return errors.As(err, &fault) && len(fault.Fields) > 0 &&
		(strings.HasPrefix(fault.Fields[0].Location, "fields.") || fault.Fields[0].Location == "unpublishAt")
}

func (h *history) reject(rt *rapid.T) { h.end(rt, h.Reviews.Reject) }

func (h *history) revise(rt *rapid.T) { h.end(rt, h.Reviews.RequestRevision) }

// decide is a decision method of Reviews.
type decide func(context.Context, core.Actor, review.Subject, approval.Decision) (*approval.View, error)

func (h *history) end(rt *rapid.T, do decide) {
	r := h.request(rt)
	name := h.reviewer(rt, r)
	latest := h.latest(r)
	_, err := do(h.Context(), h.Actor(name), h.Ref(r.Item().EntryID), approval.Decision{Comment: "no"})
	if h.expected(err) && !h.mayApprove(name, &latest) {
		rt.Fatalf("%s may not end request %d, but did", name, latest.ID)
	}
}

func (h *history) publishNow(rt *rapid.T) {
	r := h.request(rt)
	name := h.reviewer(rt, r)
	latest := h.latest(r)
	_, err := h.Reviews.PublishNow(h.Context(), h.Actor(name), review.EntryRef{Project: h.Project, CollectionID: r.Item().CollectionID, ID: r.Item().EntryID}, approval.Decision{})
	if h.expected(err) && (latest.Status != review.RequestApproved || !h.mayRelease(name, &latest)) {
		rt.Fatalf("%s may not publish request %d, which is %s, but did", name, latest.ID, latest.Status)
	}
}

func (h *history) reschedule(rt *rapid.T) {
	r := h.request(rt)
	name := names.Draw(rt, "user")
	latest := h.latest(r)
	h.acting = h.Actor(name)
	times := schedule.Times{PublishAt: optional(rt, h.time), UnpublishAt: optional(rt, h.time)}
	_, err := h.Reviews.Reschedule(h.Context(), h.acting, review.EntryRef{Project: h.Project, CollectionID: r.Item().CollectionID, ID: r.Item().EntryID}, times)
	if h.expected(err) && !h.mayTime(h.acting, &latest) {
		rt.Fatalf("%s may not reschedule request %d, but did", name, latest.ID)
	}
}

func (h *history) setWorkflow(rt *rapid.T) {
	in := approval.WorkflowInput{AllowSelfApproval: rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(rt, "self")}
	for i := range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(rt, "steps") {
		step := Step(i+1, rapid.SampledFrom([]core.Role{core.RoleAdmin, core.RoleDepartmentAdmin, core.RoleTenantAdmin}).Draw(rt, "kind"))
		switch rapid.IntRange(0, 3).Draw(rt, "custom") {
		case 0:
			step.RequiredCustomRoleID = &h.Legal.ID
		case 1:
			step.RequiredCustomRoleID = &h.Brand.ID
		}
		step.AllowRejection, step.AllowRevision = new(rapid.Bool().Draw(rt, "rejection")), new(rapid.Bool().Draw(rt, "revision"))
		in.Steps = append(in.Steps, step)
	}
	scope := rapid.SampledFrom([]int64{0, 0, h.Newsroom.ID, h.Marketing.ID}).Draw(rt, "scope")
	var err error
	switch scope {
	case 0:
		_, err = h.Workflows.SetProject(h.Context(), core.Actor{System: true}, h.Project, in)
	case h.Newsroom.ID:
		_, err = h.Workflows.SetDepartment(h.Context(), core.Actor{System: true}, h.Newsroom, in)
	default:
		_, err = h.Workflows.SetDepartment(h.Context(), core.Actor{System: true}, h.Marketing, in)
	}
	if h.expected(err) {
		h.governed[scope] = true
	}
}

func (h *history) removeWorkflow(rt *rapid.T) {
	scope := rapid.SampledFrom([]int64{0, h.Newsroom.ID, h.Marketing.ID}).Draw(rt, "scope")
	var err error
	switch scope {
	case 0:
		err = h.Workflows.RemoveProject(h.Context(), core.Actor{System: true}, h.Project)
	case h.Newsroom.ID:
		err = h.Workflows.RemoveDepartment(h.Context(), core.Actor{System: true}, h.Newsroom)
	default:
		err = h.Workflows.RemoveDepartment(h.Context(), core.Actor{System: true}, h.Marketing)
	}
	if h.expected(err) != h.governed[scope] {
		rt.Fatalf("removing a workflow (exists: %v): %v", h.governed[scope], err)
	}
	h.governed[scope] = false
}

func (h *history) changeRole(rt *rapid.T) {
	name := names.Draw(rt, "user")
	role := rapid.SampledFrom([]core.Role{core.RoleTenantAdmin, core.RoleDepartmentAdmin, core.RoleAdmin}).Draw(rt, "role")
	switch has := h.roles[name][role]; {
	case has && name != "tenant": // withdrawAll needs the tenant admin
		h.Revoke(name, role)
		h.roles[name][role] = false
	case !has && (role != core.RoleAdmin || !h.roles[name][core.RoleEditor] && !h.roles[name][core.RoleViewer]):
		h.Grant(name, role)
		h.roles[name][role] = true
	}
}

func (h *history) changeCustomRole(rt *rapid.T) {
	name := names.Draw(rt, "user")
	role := rapid.SampledFrom([]int64{h.Legal.ID, h.Brand.ID}).Draw(rt, "role")
	if h.customs[name][role] {
		h.OK(h.Stores.CustomRoles.Unassign(h.Context(), role, h.IDs[name]))
	} else {
		h.OK(h.Stores.CustomRoles.Assign(h.Context(), role, h.IDs[name]))
	}
	h.customs[name][role] = !h.customs[name][role]
}

func (h *history) changeAccount(rt *rapid.T) {
	name := rapid.SampledFrom([]string{"admin", "department", "legal", "super", "viewer"}).Draw(rt, "user")
	h.inactive[name] = !h.inactive[name]
	h.SetActive(name, !h.inactive[name])
}

func (h *history) move(rt *rapid.T) {
	h.Move(rapid.SampledFrom([]int64{h.Newsroom.ID, h.Newsroom.ID, h.Marketing.ID, 0}).Draw(rt, "department"))
}

func (h *history) passTime(rt *rapid.T) {
	h.engine.Pass(rapid.IntRange(1, 3).Draw(rt, "ticks"))
	h.publishDue(rt)
}

// redefine changes locales or fields, or backfills fields.
func (h *history) redefine(rt *rapid.T) {
	if rapid.IntRange(0, 4).Draw(rt, "fill") == 0 {
		h.OK(h.Backfill(h.Context()))
		return
	}
	h.OK(h.Apply(h.Context(), Redefinitions.Draw(rt, "redefinition"), h.Articles.ID))
	h.Reload()
}

// meanwhile changes locales or fields concurrently with another action, which uses the
// project from before the change.
func (h *history) meanwhile(rt *rapid.T) {
	r := Redefinitions.Draw(rt, "redefinition")
	failed := make(chan error, 1)
	go func() { failed <- h.Apply(h.Context(), r, h.Articles.ID) }()
	defer func() {
		h.OK(<-failed)
		h.Reload()
	}()
	rapid.SampledFrom([]func(*rapid.T){
		h.create, h.edit, h.translate, h.importLine, h.publish, h.unpublish, h.trash, h.restore, h.approve, h.publishNow, h.passTime,
	}).Draw(rt, "action")(rt)
}

func (h *history) publishDue(*rapid.T) {
	_, _, err := h.Worker.PublishDue(h.Context())
	h.OK(err)
}

// entitled computes independently which users may decide a step.
func (h *history) entitled(name string, step *review.Step) bool {
	department := h.Project.DepartmentID
	if step.CustomRoleID != 0 {
		home := map[int64]int64{h.Legal.ID: h.Newsroom.ID, h.Brand.ID: h.Marketing.ID}[step.CustomRoleID]
		return home == department && h.customs[name][step.CustomRoleID]
	}
	has := h.roles[name]
	switch {
	case has[core.RoleSuperAdmin], has[core.RoleTenantAdmin]:
		return true
	case has[core.RoleDepartmentAdmin] && department == h.Newsroom.ID:
		return step.RoleKind != core.RoleTenantAdmin
	default:
		return has[core.RoleAdmin] && step.RoleKind == core.RoleAdmin
	}
}

func (h *history) mayApprove(name string, r *review.Request) bool {
	step := r.CurrentStep()
	return step != nil && !h.inactive[name] && h.entitled(name, step) && !h.barred(name, r)
}

func (h *history) mayRelease(name string, r *review.Request) bool {
	return !h.inactive[name] && !h.barred(name, r) && (h.entitled(name, &review.Step{RoleKind: core.RoleAdmin}) || h.entitled(name, &r.Steps[len(r.Steps)-1]))
}
