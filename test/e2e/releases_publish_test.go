package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// decideRelease applies an action of a user to the request of a release of Site.
func (n *newsroom) decideRelease(t *testing.T, user, release, action, body string, status int) response {
	t.Helper()
	return n.mustSend(t, user, "POST", siteReleases+"/{"+release+"}/approval/"+action, body, status)
}

func (n *newsroom) wantRelease(t *testing.T, name, state string, rounds int) releaseView {
	t.Helper()
	r := n.releaseView(t, name)
	if r.State != state || r.Rounds != rounds {
		t.Errorf("%s is %s after %d rounds, want %s after %d", name, r.State, r.Rounds, state, rounds)
	}
	return r
}

func TestReleasesAreReviewedAndPublished(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		for _, test := range []struct {
			name string
			run  func(*testing.T, *newsroom)
		}{{"reviewed", reviewRelease}, {"reverted", revertRelease}, {"refused", refuseSubmission}, {"directly", publishDirectly}, {"later", publishLater}} {
			t.Run(test.name, func(t *testing.T) { test.run(t, n) })
		}
	})
}

func reviewRelease(t *testing.T, n *newsroom) {
	n.createEntry(t, "first", `{"fields":{"title":"First"}}`)
	n.createEntry(t, "second", `{"fields":{"title":"Second","next":{first}}}`)
	n.submit(t, "old", "Old")
	n.approve(t, "old", 3)
	n.release(t, siteReleases, "campaign")
	n.putMembers(t, "campaign", `{"entryId":{first}}`, `{"entryId":{second}}`, `{"entryId":{old},"action":"unpublish"}`)
	n.mustSend(t, "viewer", "POST", siteReleases+"/{campaign}/publish", "", 403)
	n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/publish", "", 412, `If-Match: "1"`)
	a := n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/publish", `{"comment":"Please."}`, 202)
	submitted := decode[struct {
		Kind, Status, ReleaseNumber string
		ReleaseID                   int
	}](t, a)
	if submitted.Kind != "release" || submitted.Status != "pending" || submitted.ReleaseID != n.ids["campaign"] {
		t.Errorf("submitted: %s", a.body)
	}
	r := n.wantRelease(t, "campaign", "pending", 1)
	if r.Request == nil || r.Request.ReleaseNumber != submitted.ReleaseNumber {
		t.Errorf("request of the release: %+v", r.Request)
	}
	again := n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/publish", "", 202)
	if decode[request](t, again).ReleaseNumber != submitted.ReleaseNumber || n.releaseView(t, "campaign").Version != r.Version {
		t.Error("a second submission changed something")
	}
	for _, try := range []response{
		n.send(t, "editor", "PATCH", siteReleases+"/{campaign}", `{"name":"Other"}`), n.send(t, "editor", "DELETE", siteReleases+"/{campaign}", ""),
		n.send(t, "editor", "POST", siteReleases+"/{campaign}/members", `{"members":[{"entryId":{first}}]}`),
		n.send(t, "editor", "DELETE", siteReleases+"/{campaign}/members", `{"entryIds":[{first}]}`),
	} {
		n.wantFaults(t, try, 409, "not_open")
	}
	if check := n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/check", "", 200); strings.TrimSpace(string(check.body)) != `{"faults":[],"warnings":[],"warningCount":0,"reviewed":true}` {
		t.Errorf("check of a submitted release: %s", check.body)
	}
	n.mustSend(t, "legal", "GET", siteReleases+"/{campaign}", "", 200)
	members := decode[struct{ Data []releaseMember }](t, n.mustSend(t, "legal", "GET", siteReleases+"/{campaign}/members", "", 200)).Data
	if len(members) != 3 || members[0].Title != "First" || members[0].ContentHash == "" || members[2].Kind != "unpublish" {
		t.Errorf("members for a reviewer: %+v", members)
	}
	n.mustSend(t, "legal", "GET", siteReleases+"/{campaign}/members/{second}", "", 200)
	n.mustSend(t, "legal", "POST", siteReleases+"/{campaign}/seen", fmt.Sprintf(`{"members":[{"entryId":{first},"contentHash":%q},{"entryId":{old},"contentHash":null}]}`, members[0].ContentHash), 204)
	n.wantFaults(t, n.send(t, "legal", "POST", siteReleases+"/{campaign}/seen", `{"members":[{"entryId":{second},"contentHash":"aa"}]}`), 409, "content_changed", "members[0].contentHash")
	seen := decode[struct{ Data []releaseMember }](t, n.mustSend(t, "legal", "GET", siteReleases+"/{campaign}/members?seen=true", "", 200)).Data
	if len(seen) != 2 || len(n.releaseMembers(t, "campaign", "?seen=true")) != 0 || len(n.releaseMembers(t, "campaign", "?changed=title")) != 2 {
		t.Errorf("seen by the reviewer: %+v", seen)
	}
	n.mustSend(t, "editor", "PATCH", "{content}/{first}", `{"fields":{"title":"Later"}}`, 200)
	if m := n.releaseMembers(t, "campaign", ""); !m[0].ContentChanged || m[1].ContentChanged {
		t.Errorf("content changed: %+v", m)
	}
	n.decideRelease(t, "chief", "campaign", "reject", `{"comment":"Not yet."}`, 200)
	n.wantRelease(t, "campaign", "open", 1)
	n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/publish", "", 202)
	for _, user := range []string{"chief", "legal", "head"} {
		n.wantPublic(t, "first", "")
		n.decideRelease(t, user, "campaign", "approve", "", 200)
	}
	r = n.wantRelease(t, "campaign", "published", 2)
	n.wantPublic(t, "first", "Later")
	n.wantPublic(t, "second", "Second")
	n.wantPublic(t, "old", "")
	n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/publish", "", 409)
	var times []string
	for _, entry := range []string{"first", "second"} {
		p := decode[struct {
			Data []struct{ PublishedAt string }
		}](t, n.mustSend(t, "viewer", "GET", "{content}/{"+entry+"}/publications", "", 200))
		times = append(times, p.Data[0].PublishedAt)
	}
	if r.PublishedAt == "" || times[0] != r.PublishedAt || times[1] != r.PublishedAt {
		t.Errorf("published at %s, entries at %v", r.PublishedAt, times)
	}
	ended := decode[struct {
		Data []struct {
			UnpublishedAt string
			EndedBy       struct{ ReleaseID, RequestID int }
		}
	}](t, n.mustSend(t, "viewer", "GET", "{content}/{old}/publications", "", 200)).Data[0]
	if ended.UnpublishedAt != r.PublishedAt || ended.EndedBy.ReleaseID != n.ids["campaign"] || ended.EndedBy.RequestID != r.Request.ID {
		t.Errorf("the publication of the unpublished member: %+v", ended)
	}
}

// revertRelease takes back the release of reviewRelease.
func revertRelease(t *testing.T, n *newsroom) {
	n.mustSend(t, "viewer", "POST", siteReleases+"/{campaign}/revert", "", 403)
	n.mustSend(t, "editor", "POST", "{content}/{second}/unpublish", "", 200)
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases+"/{campaign}/revert", ""), 409, "changed_since", "members.{second}")
	back := decode[releaseView](t, n.mustSend(t, "editor", "POST", siteReleases+"/{campaign}/revert", `{"skipChanged":true}`, 201))
	n.ids["back"] = back.ID
	if back.Name != "Revert: campaign" || back.State != "open" || back.RevertOf != n.ids["campaign"] || back.Counts.Publish != 1 || back.Counts.Unpublish != 1 {
		t.Errorf("revert: %+v", back)
	}
	n.mustSend(t, "editor", "POST", siteReleases+"/{back}/publish", "", 202)
	for _, user := range []string{"chief", "legal", "head"} {
		n.decideRelease(t, user, "back", "approve", "", 200)
	}
	n.wantPublic(t, "first", "")
	n.wantPublic(t, "old", "Old")
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases+"/{campaign}/revert", `{"skipChanged":true}`), 409, "nothing_to_revert")
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases+"/{Gone}/revert", ""), 404, "not_found")
}

// refuseSubmission submits what cannot be published: all faults are answered, and nothing was submitted.
func refuseSubmission(t *testing.T, n *newsroom) {
	n.release(t, siteReleases, "faulty")
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases+"/{faulty}/publish", ""), 422, "invalid", "members")
	n.createEntry(t, "untitled", `{"fields":{"views":1}}`)
	n.createEntry(t, "unseen", `{"fields":{"title":"Unseen"}}`)
	n.createEntry(t, "binned", `{"fields":{"title":"Binned"}}`)
	n.submit(t, "waiting", "Waiting")
	n.putMembers(t, "faulty", `{"entryId":{untitled}}`, `{"entryId":{unseen},"action":"unpublish"}`)
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases+"/{faulty}/publish", ""), 422, "invalid", "members.{untitled}.fields.title", "members.{unseen}.action")
	n.putMembers(t, "faulty", `{"entryId":{binned}}`, `{"entryId":{waiting}}`)
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases+"/{faulty}/publish", ""), 409, "in_review", "members.{untitled}.fields.title", "members.{unseen}.action", "members.{waiting}")
	n.mustSend(t, "editor", "DELETE", "{content}/{binned}", "", 204)
	n.mustSend(t, "editor", "POST", siteReleases+"/{faulty}/publish", "", 409)
	if r := n.wantRelease(t, "faulty", "open", 0); r.Version != 3 || r.Request != nil {
		t.Errorf("changed: %+v", r)
	}
}

const openReleases = "/api/projects/{open}/releases"

func publishDirectly(t *testing.T, n *newsroom) {
	content := "/api/projects/{open}/collections/{openArticles}/content"
	n.create(t, "one", content, `{"fields":{"title":"One"}}`)
	n.create(t, "two", content, `{"published":true,"fields":{"title":"Two"}}`)
	n.release(t, openReleases, "direct")
	n.mustSend(t, "blogger", "POST", openReleases+"/{direct}/members", `{"members":[{"entryId":{one}},{"entryId":{two},"action":"unpublish"}]}`, 200)
	r := decode[releaseView](t, n.mustSend(t, "blogger", "POST", openReleases+"/{direct}/publish", `{"publishAt":"2001-01-01T00:00:00Z"}`, 200))
	if r.State != "published" || r.PublishedAt == "" || r.Request != nil || r.Rounds != 1 {
		t.Errorf("published: %+v", r)
	}
	state := func(entry string) string {
		t.Helper()
		return decode[struct{ State string }](t, n.mustSend(t, "blogger", "GET", content+"/{"+entry+"}", "", 200)).State
	}
	if state("one") != "published" || state("two") != "draft" {
		t.Errorf("one is %s, two is %s", state("one"), state("two"))
	}
	back := decode[releaseView](t, n.mustSend(t, "blogger", "POST", openReleases+"/{direct}/revert", "", 201))
	n.ids["directBack"] = back.ID
	n.mustSend(t, "blogger", "POST", openReleases+"/{directBack}/publish", "", 200)
	if state("one") != "draft" || state("two") != "published" {
		t.Errorf("taken back: one is %s, two is %s", state("one"), state("two"))
	}
	events := decode[struct {
		Data []struct {
			Type      string
			ReleaseID int
		}
	}](t, n.mustSend(t, "blogger", "GET", "/api/projects/{open}/events?type=release.published", "", 200))
	if len(events.Data) != 2 || events.Data[1].ReleaseID != n.ids["directBack"] {
		t.Errorf("events: %+v", events)
	}
}

// publishLater schedules a release without a workflow, takes that back, and lets it go out.
func publishLater(t *testing.T, n *newsroom) {
	content := "/api/projects/{open}/collections/{openArticles}/content"
	n.create(t, "timed", content, `{"fields":{"title":"Timed"}}`)
	n.release(t, openReleases, "later")
	n.mustSend(t, "blogger", "POST", openReleases+"/{later}/members", `{"members":[{"entryId":{timed}}]}`, 200)
	r := decode[releaseView](t, n.mustSend(t, "blogger", "POST", openReleases+"/{later}/publish", `{"publishAt":"2100-01-01T00:00:00Z"}`, 200))
	if r.State != "approved" || r.PublishAt != "2100-01-01T00:00:00.000Z" {
		t.Errorf("scheduled: %+v", r)
	}
	n.mustSend(t, "blogger", "PATCH", openReleases+"/{later}", `{"name":"No"}`, 409)
	r = decode[releaseView](t, n.mustSend(t, "blogger", "DELETE", openReleases+"/{later}/publish", "", 200))
	if r.State != "open" {
		t.Errorf("opened again: %+v", r)
	}
	n.wantFaults(t, n.send(t, "blogger", "DELETE", openReleases+"/{later}/publish", ""), 409, "not_scheduled")
	due := time.Now().Add(2 * time.Second).Truncate(time.Millisecond)
	n.mustSend(t, "blogger", "POST", openReleases+"/{later}/publish", `{"publishAt":`+wire(due)+`}`, 200)
	n.mustSend(t, "blogger", "PATCH", content+"/{timed}", `{"fields":{"title":"Edited meanwhile"}}`, 200)
	n.process.Await(t, "the release to be published", func() bool {
		r = decode[releaseView](t, n.mustSend(t, "blogger", "GET", openReleases+"/{later}", "", 200))
		return r.State == "published"
	})
	if at, err := time.Parse(time.RFC3339, r.PublishedAt); err != nil || at.Before(due) {
		t.Errorf("published at %s, due at %s", r.PublishedAt, due)
	}
	versions := decode[struct{ Published map[string]any }](t, n.mustSend(t, "blogger", "GET", content+"/{timed}/versions", "", 200))
	if versions.Published["title"] != "Timed" {
		t.Errorf("published %v", versions.Published["title"])
	}
}
