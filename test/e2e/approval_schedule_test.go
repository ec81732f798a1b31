package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestSchedules checks that scheduled content is published automatically, never before it
// is due, and as it was approved.
func TestSchedules(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		for _, user := range []string{"editor", "chief", "legal", "head", "viewer", "outsider", "brand", "blogger"} {
			n.headers(t, user) // created before the parallel subtests need them
		}
		t.Run("group", func(t *testing.T) {
			for name, test := range map[string]func(*testing.T, *newsroom){
				"approved":     scheduleApproved,
				"publish now":  schedulePublishNow,
				"moved":        scheduleMoved,
				"taken back":   scheduleTakenBack,
				"past":         schedulePast,
				"directly":     scheduleDirectly,
				"governed now": scheduleGovernedMeanwhile,
				"ends":         scheduleEnds,
				"direct ends":  scheduleEndsDirectly,
				"kept ends":    keepEnds,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					own := *n // with its own ids
					own.ids = map[string]int{}
					for name, id := range n.ids {
						own.ids[name] = id
					}
					test(t, &own)
				})
			}
		})
	})
}

// soon returns a time by which a test has finished its next steps.
func soon() time.Time { return time.Now().Add(3 * time.Second).Truncate(time.Millisecond) }

func wire(at time.Time) string {
	return `"` + at.UTC().Format("2006-01-02T15:04:05.000Z07:00") + `"`
}

// awaitPublic waits until the entry is public, which must not be before it is due.
func (n *newsroom) awaitPublic(t *testing.T, entry, title string, due time.Time) {
	t.Helper()
	n.process.Await(t, entry+" to be public", func() bool {
		seen := n.public(t, entry)
		now := time.Now()
		if seen == nil {
			return false
		}
		if now.Before(due) {
			t.Errorf("%s is public %s before it is due", entry, due.Sub(now))
		}
		at, err := time.Parse(time.RFC3339, fmt.Sprint(seen["publishedAt"]))
		if err != nil || at.Before(due) || seen["title"] != title {
			t.Errorf("%s was due at %s: %v", entry, wire(due), seen)
		}
		t.Logf("%s: published %s after it was due", entry, at.Sub(due))
		return true
	})
}

func scheduleApproved(t *testing.T, n *newsroom) {
	due := soon()
	n.createEntry(t, "timed", `{"fields":{"title":"Timed"}}`)
	n.mustSend(t, "editor", "POST", "{content}/{timed}/publish", `{"publishAt":`+wire(due)+`}`, 202)
	n.approve(t, "timed", 3)
	r := n.wantStatus(t, "timed", "approved", 0)
	if r.ScheduledPublishAt == nil || `"`+*r.ScheduledPublishAt+`"` != wire(due) {
		t.Errorf("scheduled for %v, want %s", r.ScheduledPublishAt, wire(due))
	}
	n.mustSend(t, "editor", "PATCH", "{content}/{timed}", `{"published":true,"fields":{"title":"Edited meanwhile"}}`, 200)
	n.wantPublic(t, "timed", "")
	n.awaitPublic(t, "timed", "Timed", due)
	r = n.wantStatus(t, "timed", "published", 0)
	if last := r.Actions[len(r.Actions)-1]; last.Type != "publish" || r.PublishedAt == nil {
		t.Errorf("the last action is %s, published at %v", last.Type, r.PublishedAt)
	}
	wantProblem(t, n.send(t, "head", "POST", "{content}/{timed}/approval/publish-now", ""), 409)
}

const later = `{"publishAt":"2100-01-02T03:04:05.000Z"}`

// approved creates an entry that is approved and scheduled for the far future.
func (n *newsroom) approved(t *testing.T, entry, title string) {
	t.Helper()
	n.createEntry(t, entry, `{"published":true,"publishAt":"2100-01-02T03:04:05.000Z","fields":{"title":"`+title+`"}}`)
	n.approve(t, entry, 3)
	n.wantStatus(t, entry, "approved", 0)
}

func schedulePublishNow(t *testing.T, n *newsroom) {
	n.approved(t, "early", "Early")
	for user, status := range map[string]int{"editor": 403, "viewer": 403, "legal": 403, "outsider": 404, "brand": 404, "token full": 401} {
		wantProblem(t, n.send(t, user, "POST", "{content}/{early}/approval/publish-now", ""), status)
	}
	for _, action := range []string{"approve", "reject", "request-revision"} {
		wantProblem(t, n.send(t, "head", "POST", "{content}/{early}/approval/"+action, `{"comment":"x"}`), 409)
	}
	n.wantPublic(t, "early", "")
	n.decide(t, "chief", "early", "publish-now", `{"comment":"It leaked"}`, 200)
	n.wantPublic(t, "early", "Early")
	n.wantStatus(t, "early", "published", 0)
	wantProblem(t, n.send(t, "chief", "POST", "{content}/{early}/approval/publish-now", ""), 409)
}

func scheduleMoved(t *testing.T, n *newsroom) {
	schedule := "{content}/{movable}/approval/schedule"
	n.submit(t, "movable", "Movable")
	n.mustSend(t, "editor", "PUT", schedule, later, 200)
	n.mustSend(t, "editor", "PUT", schedule, `{"publishAt":null}`, 200)
	n.mustSend(t, "head", "PUT", schedule, later, 200)
	for user, status := range map[string]int{"viewer": 403, "chief": 403, "legal": 403, "outsider": 404, "token full": 401} {
		wantProblem(t, n.send(t, user, "PUT", schedule, later), status)
	}
	n.approve(t, "movable", 3)
	n.wantStatus(t, "movable", "approved", 0)
	wantProblem(t, n.send(t, "editor", "PUT", schedule, later), 403)
	wantProblem(t, n.send(t, "head", "PUT", schedule, `{"publishAt":null}`), 422)
	due := soon()
	n.mustSend(t, "head", "PUT", schedule, `{"publishAt":`+wire(due)+`}`, 200)
	n.awaitPublic(t, "movable", "Movable", due)

	n.approved(t, "hurried", "Hurried")
	n.mustSend(t, "head", "PUT", "{content}/{hurried}/approval/schedule", `{"publishAt":"2020-01-01T00:00:00Z"}`, 200)
	n.wantPublic(t, "hurried", "Hurried")
}

func scheduleTakenBack(t *testing.T, n *newsroom) {
	due := soon()
	for entry, back := range map[string]func(entry string){
		"unpublished": func(entry string) { n.mustSend(t, "editor", "POST", "{content}/{"+entry+"}/unpublish", "", 200) },
		"unchecked": func(entry string) {
			n.mustSend(t, "editor", "PATCH", "{content}/{"+entry+"}", `{"published":false}`, 200)
		},
		"trashed": func(entry string) { n.mustSend(t, "editor", "DELETE", "{content}/{"+entry+"}", "", 204) },
	} {
		n.createEntry(t, entry, `{"published":true,"publishAt":`+wire(due)+`,"fields":{"title":"Back"}}`)
		n.approve(t, entry, 3)
		back(entry)
		n.wantStatus(t, entry, "withdrawn", 0)
	}
	// An entry due a second later is published, the withdrawn ones are not.
	n.createEntry(t, "witness", `{"published":true,"publishAt":`+wire(due.Add(time.Second))+`,"fields":{"title":"Witness"}}`)
	n.approve(t, "witness", 3)
	n.awaitPublic(t, "witness", "Witness", due.Add(time.Second))
	for _, entry := range []string{"unpublished", "unchecked", "trashed"} {
		n.wantPublic(t, entry, "")
		n.wantStatus(t, entry, "withdrawn", 0)
	}
}

func schedulePast(t *testing.T, n *newsroom) {
	due := time.Now().Add(time.Second)
	n.createEntry(t, "past", `{"published":true,"publishAt":`+wire(due)+`,"fields":{"title":"Past"}}`)
	n.approve(t, "past", 2)
	time.Sleep(time.Until(due.Add(100 * time.Millisecond))) // nothing may be published when it is due
	n.wantPublic(t, "past", "")
	n.wantStatus(t, "past", "pending", 3)
	n.decide(t, "head", "past", "approve", "", 200)
	n.wantPublic(t, "past", "Past")
}

// awaitEnd waits until the entry is not public any more, which must not be before its end.
func (n *newsroom) awaitEnd(t *testing.T, entry string, end time.Time) {
	t.Helper()
	n.process.Await(t, entry+" to be unpublished", func() bool {
		gone := n.public(t, entry) == nil
		if early := time.Until(end); gone && early > 0 {
			t.Errorf("%s is unpublished %s before its end", entry, early)
		}
		return gone
	})
}

// scheduleEnds ends an approved publication. A correction keeps the end, and a request with another
// end changes nothing before its approval.
func scheduleEnds(t *testing.T, n *newsroom) {
	due := soon()
	end := due.Add(2 * time.Second)
	period := `"publishAt":` + wire(due) + `,"unpublishAt":` + wire(end)
	n.createEntry(t, "embargo", `{"fields":{"title":"Embargo"}}`)
	wantProblem(t, n.send(t, "editor", "POST", "{content}/{embargo}/publish", `{"publishAt":`+wire(end)+`,"unpublishAt":`+wire(due)+`}`), 422)
	wantProblem(t, n.send(t, "editor", "POST", "{content}/{embargo}/publish", `{"unpublishAt":"2020-01-01T00:00:00Z"}`), 422)
	n.mustSend(t, "editor", "POST", "{content}/{embargo}/publish", `{`+period+`}`, 202)
	n.mustSend(t, "editor", "PUT", "{content}/{embargo}/approval/schedule", `{"unpublishAt":null}`, 200)
	n.mustSend(t, "editor", "PUT", "{content}/{embargo}/approval/schedule", `{"unpublishAt":`+wire(end)+`}`, 200)
	for _, body := range []string{`{}`, `{"unpublishAt":"0001-01-01T00:00:00Z"}`, `{"publishAt":"0001-01-01T00:00:00Z"}`} {
		wantProblem(t, n.send(t, "editor", "PUT", "{content}/{embargo}/approval/schedule", body), 422)
	}
	n.approve(t, "embargo", 3)
	r := n.wantStatus(t, "embargo", "approved", 0)
	if r.ScheduledPublishAt == nil || r.ScheduledUnpublishAt == nil || `"`+*r.ScheduledUnpublishAt+`"` != wire(end) {
		t.Errorf("scheduled for %v until %v, want until %s", r.ScheduledPublishAt, r.ScheduledUnpublishAt, wire(end))
	}
	n.awaitPublic(t, "embargo", "Embargo", due)
	n.wantStatus(t, "embargo", "published", 0)
	r = decode[request](t, n.mustSend(t, "editor", "POST", "{content}/{embargo}/publish", `{"unpublishAt":null}`, 202))
	if r.Status != "pending" || r.ScheduledUnpublishAt != nil {
		t.Errorf("the request to remove the end is %s until %v", r.Status, r.ScheduledUnpublishAt)
	}
	n.awaitEnd(t, "embargo", end)
	n.wantStatus(t, "embargo", "pending", 1)
	e := decode[struct {
		State                string
		ScheduledUnpublishAt *string
	}](t, n.mustSend(t, "editor", "GET", "{content}/{embargo}", "", 200))
	if e.State != "draft" || e.ScheduledUnpublishAt != nil {
		t.Errorf("after the end: %+v", e)
	}
}

// scheduleEndsDirectly ends publications without a workflow, and removes such an end.
func scheduleEndsDirectly(t *testing.T, n *newsroom) {
	end := soon()
	n.writeOpen(t, "ending", `{"published":true,"unpublishAt":`+wire(end)+`,"fields":{"title":"First"}}`)
	n.writeOpen(t, "kept", `{"published":true,"unpublishAt":`+wire(end)+`,"fields":{"title":"Kept"}}`)
	n.writeOpen(t, "cleared", `{"published":true,"unpublishAt":`+wire(end)+`,"fields":{"title":"Cleared"}}`)
	n.mustSend(t, "blogger", "PATCH", inOpen+"/{ending}", `{"published":true,"fields":{"title":"Typo mended"}}`, 200)
	n.mustSend(t, "blogger", "PATCH", inOpen+"/{kept}", `{"published":true,"unpublishAt":null}`, 200)
	n.mustSend(t, "blogger", "DELETE", inOpen+"/{cleared}/schedule", "", 200)
	wantProblem(t, n.send(t, "blogger", "PATCH", inOpen+"/{kept}", `{"unpublishAt":`+wire(end)+`}`), 422)
	n.process.Await(t, "the publication to end", func() bool {
		state, _ := n.openState(t, "ending")
		if state == "draft" && time.Now().Before(end) {
			t.Errorf("unpublished %s before its end", time.Until(end))
		}
		return state == "draft"
	})
	for _, entry := range []string{"kept", "cleared"} {
		if state, _ := n.openState(t, entry); state != "published" {
			t.Errorf("%s is %s", entry, state)
		}
	}
}

// keepEnds moves a scheduled publication, publishes it early, and trashes and restores it: its end
// stays. An entry that is restored after its end is a draft.
func keepEnds(t *testing.T, n *newsroom) {
	due, end := time.Now().Add(time.Hour), wire(time.Now().Add(2*time.Hour))
	wantEnd := func(entry, state string) {
		t.Helper()
		a := n.mustSend(t, "blogger", "GET", inOpen+"/{"+entry+"}", "", 200)
		if text := string(a.body); !strings.Contains(text, `"state":"`+state+`"`) || !strings.Contains(text, `"scheduledUnpublishAt":`+end) {
			t.Errorf("want %s until %s: %s", state, end, text)
		}
	}
	soon := soon()
	n.writeOpen(t, "binned", `{"published":true,"unpublishAt":`+wire(soon)+`,"fields":{"title":"Binned"}}`)
	n.mustSend(t, "blogger", "DELETE", inOpen+"/{binned}", "", 204)

	n.writeOpen(t, "moved", `{"published":true,"publishAt":`+wire(due)+`,"unpublishAt":`+end+`,"fields":{"title":"Moved"}}`)
	n.mustSend(t, "blogger", "PATCH", inOpen+"/{moved}", `{"published":true,"publishAt":`+wire(due.Add(-30*time.Minute))+`}`, 200)
	wantEnd("moved", "draft")
	wantProblem(t, n.send(t, "blogger", "PATCH", inOpen+"/{moved}", `{"published":true,"publishAt":`+wire(due.Add(2*time.Hour))+`}`), 422)
	n.mustSend(t, "blogger", "POST", inOpen+"/{moved}/publish", "", 200)
	wantEnd("moved", "published")
	n.mustSend(t, "blogger", "DELETE", inOpen+"/{moved}", "", 204)
	n.mustSend(t, "blogger", "POST", inOpen+"/{moved}/restore", "", 200)
	wantEnd("moved", "published")
	wantProblem(t, n.send(t, "blogger", "PATCH", inOpen+"/{moved}", `{"published":true,"unpublishAt":"0001-01-01T00:00:00Z"}`), 422)
	wantEnd("moved", "published")

	time.Sleep(time.Until(soon.Add(100 * time.Millisecond))) // the end passes while the entry is in the trash
	n.mustSend(t, "blogger", "POST", inOpen+"/{binned}/restore", "", 200)
	if state, _ := n.openState(t, "binned"); state != "draft" {
		t.Errorf("restored after its end, the entry is %s", state)
	}
}

// inOpen is the path of content without a workflow.
const inOpen = "/api/projects/{open}/collections/{openArticles}/content"

// openState returns the state and draft title of an entry of Open.
func (n *newsroom) openState(t *testing.T, entry string) (state, title string) {
	t.Helper()
	e := decode[struct {
		State  string
		Fields struct{ Title string }
	}](t, n.mustSend(t, "blogger", "GET", inOpen+"/{"+entry+"}", "", 200))
	return e.State, e.Fields.Title
}

func (n *newsroom) writeOpen(t *testing.T, entry, body string) {
	t.Helper()
	n.ids[entry] = int(decode[map[string]any](t, n.mustSend(t, "blogger", "POST", inOpen, body, 201))["id"].(float64))
}

// scheduleDirectly schedules content without a workflow: the draft of the due time is
// published.
func scheduleDirectly(t *testing.T, n *newsroom) {
	due := soon()
	n.writeOpen(t, "direct", `{"published":true,"publishAt":`+wire(due)+`,"fields":{"title":"First"}}`)
	n.writeOpen(t, "undone", `{"fields":{"title":"Undone"}}`)
	n.mustSend(t, "blogger", "POST", inOpen+"/{undone}/publish", `{"publishAt":`+wire(due)+`}`, 200)
	n.mustSend(t, "blogger", "POST", inOpen+"/{undone}/unpublish", "", 200)
	n.mustSend(t, "blogger", "PATCH", inOpen+"/{direct}", `{"fields":{"title":"Second"}}`, 200)
	if state, _ := n.openState(t, "direct"); state != "draft" && time.Now().Before(due) {
		t.Errorf("it is %s before it is due", state)
	}
	n.process.Await(t, "the unreviewed entry to be published", func() bool {
		state, title := n.openState(t, "direct")
		if state == "published" && (time.Now().Before(due) || title != "Second") {
			t.Errorf("published as %q at %s, due %s", title, time.Now(), due)
		}
		return state == "published"
	})
	if state, _ := n.openState(t, "undone"); state != "draft" {
		t.Errorf("the unpublished entry is %s, want draft", state)
	}
}

// scheduleGovernedMeanwhile sets a workflow before unreviewed scheduled content is due: a
// request is opened instead.
func scheduleGovernedMeanwhile(t *testing.T, n *newsroom) {
	due := soon()
	made := n.mustSend(t, "root", "POST", "/api/tenants/{tenant}/projects", `{"name":"Later","defaultLocale":"en","locales":["en"]}`, 201)
	n.ids["laterProject"] = int(decode[map[string]any](t, made)["id"].(float64))
	made = n.mustSend(t, "root", "POST", "/api/projects/{laterProject}/collections", `{"slug":"articles","name":"Articles","fields":`+reviewed+`}`, 201)
	n.ids["laterArticles"] = int(decode[map[string]any](t, made)["id"].(float64))
	const content = "/api/projects/{laterProject}/collections/{laterArticles}/content"
	made = n.mustSend(t, "tenantAdmin", "POST", content, `{"published":true,"publishAt":`+wire(due)+`,"fields":{"title":"Late"}}`, 201)
	n.ids["late"] = int(decode[map[string]any](t, made)["id"].(float64))
	wantProblem(t, n.send(t, "tenantAdmin", "PUT", "/api/projects/{laterProject}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`), 403)
	n.mustSend(t, "root", "PUT", "/api/projects/{laterProject}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`, 200)
	n.process.Await(t, "the request to be opened", func() bool {
		return n.send(t, "root", "GET", content+"/{late}/approval", "").status == 200
	})
	r := decode[request](t, n.mustSend(t, "root", "GET", content+"/{late}/approval", "", 200))
	e := decode[struct{ State string }](t, n.mustSend(t, "root", "GET", content+"/{late}", "", 200))
	if r.Status != "pending" || e.State != "draft" {
		t.Errorf("when due: entry %s, request %s, want draft and pending", e.State, r.Status)
	}
}
