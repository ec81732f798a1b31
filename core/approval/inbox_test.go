package approval_test

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

func TestInbox(t *testing.T) {
	t.Parallel()
	r := gated(t)
	var ids []int64
	for _, title := range []string{"A", "B", "C"} {
		ids = append(ids, r.submit(title))
		r.clock.pass(time.Minute)
	}
	r.approveAll(ids[1], "admin")
	r.Update(ids[0], newsroom.Article("A changed"))
	pending := func(person string, f approval.InboxFilter) query.Page[approval.View] {
		page, err := r.Inbox.List(t.Context(), r.Actor(person), f)
		require.NoError(t, err)
		return page
	}
	entries := func(p query.Page[approval.View]) []int64 {
		all := []int64{}
		for _, v := range p.Items {
			require.True(t, v.CanAct)
			require.Nil(t, v.Shown)
			require.NotEmpty(t, v.Actions)
			require.Equal(t, v.Request.Item().EntryID == ids[0], v.ContentChanged)
			all = append(all, v.Request.Item().EntryID)
		}
		return all
	}
	require.Equal(t, []int64{ids[0], ids[2]}, entries(pending("admin", approval.InboxFilter{})), "oldest first")
	require.Equal(t, []int64{ids[2], ids[0]}, entries(pending("admin", approval.InboxFilter{Sort: "submittedAt:desc"})))
	require.Equal(t, []int64{ids[1]}, entries(pending("legal", approval.InboxFilter{})))
	require.Empty(t, entries(pending("outsider", approval.InboxFilter{})))
	require.Empty(t, entries(pending("admin", approval.InboxFilter{ProjectID: r.Project.ID + 1})))
	first := pending("admin", approval.InboxFilter{Window: query.Window{PerPage: 1}})
	require.Equal(t, []int64{ids[0]}, entries(first))
	require.True(t, first.HasMore && first.Total == 2)
	last := pending("admin", approval.InboxFilter{Window: query.Window{PerPage: 1, Page: 2}})
	require.Equal(t, []int64{ids[2]}, entries(last))
	require.False(t, last.HasMore)

	for name, f := range map[string]approval.InboxFilter{
		"page": {Window: query.Window{Page: -1}}, "perPage": {Window: query.Window{PerPage: 101}}, "sort": {Sort: "id"}, "project": {ProjectID: -1},
	} {
		_, err := r.Inbox.List(t.Context(), r.Actor("admin"), f)
		require.Equal(t, "bad_parameter "+name, outcome(err))
	}

	sum, err := r.Inbox.Summary(t.Context(), r.Actor("admin"))
	require.NoError(t, err)
	require.Equal(t, review.InboxSummary{
		Pending: 2, ByProject: []review.InboxProject{{ProjectID: r.Project.ID, Name: "World Desk", Pending: 2}}, OldestSubmittedAt: noon,
	}, sum)
	sum, err = r.Inbox.Summary(t.Context(), r.Actor("editor"))
	require.NoError(t, err)
	require.Equal(t, review.InboxSummary{SubmittedByMe: 3}, sum)
}

func TestInboxLists(t *testing.T) {
	t.Parallel()
	r := gated(t)
	var ids []int64
	for _, title := range []string{"A", "B", "C"} {
		ids = append(ids, r.submit(title))
		r.clock.pass(time.Minute)
	}
	r.approveAll(ids[0], "admin")
	r.approveAll(ids[1], "admin", "legal", "department")
	titles := func(person string, list review.InboxList, sort string) []string {
		page, err := r.Inbox.List(t.Context(), r.Actor(person), approval.InboxFilter{List: list, Sort: sort})
		require.NoError(t, err)
		require.Equal(t, int64(len(page.Items)), page.Total)
		all := []string{}
		for _, v := range page.Items {
			shown := wire.ApprovalRequestOf(v)
			require.Equal(t, person == "legal" && v.Request.Item().EntryID == ids[0], v.CanAct)
			require.Nil(t, v.Shown)
			all = append(all, *shown.Title)
		}
		return all
	}
	require.Equal(t, []string{"C", "B", "A"}, titles("editor", review.InboxSubmitted, ""))
	require.Equal(t, []string{"A", "B", "C"}, titles("editor", review.InboxSubmitted, "submittedAt"))
	require.Empty(t, titles("admin", review.InboxSubmitted, ""))
	require.Equal(t, []string{"B", "A"}, titles("admin", review.InboxDecided, ""))
	require.Equal(t, []string{"A", "B"}, titles("admin", review.InboxDecided, "decidedAt:asc"))
	require.Equal(t, []string{"B"}, titles("legal", review.InboxDecided, ""))
	require.Empty(t, titles("editor", review.InboxDecided, ""))
	require.Empty(t, titles("editor", review.InboxScheduled, ""))
	for list, sort := range map[review.InboxList]string{
		review.InboxPending: "decidedAt", review.InboxSubmitted: "scheduledPublishAt", review.InboxScheduled: "submittedAt", review.InboxDecided: "submittedAt:desc",
	} {
		_, err := r.Inbox.List(t.Context(), r.Actor("admin"), approval.InboxFilter{List: list, Sort: sort})
		require.Equal(t, "bad_parameter sort", outcome(err))
	}
}

// A title is not shown after its field was hidden.
func TestHiddenTitlesAreNotShown(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.submit("A")
	_, err := r.Collections.ReviseField(t.Context(), definition.Change{Actor: core.Actor{System: true}, Project: r.Project, CollectionID: r.Articles.ID}, "title", hide)
	require.NoError(t, err)
	page, err := r.Inbox.List(t.Context(), r.Actor("admin"), approval.InboxFilter{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Nil(t, wire.ApprovalRequestOf(page.Items[0]).Title)
	one, err := r.Reviews.Current(t.Context(), r.Actor("admin"), r.Ref(id))
	require.NoError(t, err)
	require.Nil(t, wire.ApprovalRequestOf(*one).Title)
	var out strings.Builder
	_, err = r.Exporter.Export(t.Context(), r.Project, wire.WriteApprovals(&out), nil)
	require.NoError(t, err)
	require.Contains(t, out.String(), `"title":null`)
}

// An export line contains everything needed to verify it.
func TestExport(t *testing.T) {
	t.Parallel()
	r := gated(t)
	done, waiting := r.submit("A <b> & c"), r.submit("B")
	r.approveAll(done, "admin", "legal", "department")
	var out strings.Builder
	var reported []int64
	n, err := r.Exporter.Export(t.Context(), r.Project, wire.WriteApprovals(&out), func(n int64) { reported = append(reported, n) })
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
	require.Equal(t, []int64{2}, reported)
	type line struct {
		EntryID       int64           `json:"entryId"`
		ReleaseNumber string          `json:"releaseNumber"`
		Status        string          `json:"status"`
		ContentHash   string          `json:"contentHash"`
		Snapshot      json.RawMessage `json:"snapshot"`
		Valid         bool            `json:"valid"`
		SnapshotValid bool            `json:"snapshotValid"`
		Actions       []struct {
			Type         string `json:"type"`
			Hash         string `json:"hash"`
			PreviousHash string `json:"previousHash"`
		} `json:"actions"`
	}
	var lines []line
	for s := bufio.NewScanner(strings.NewReader(out.String())); s.Scan(); {
		var l line
		require.NoError(t, json.Unmarshal(s.Bytes(), &l))
		lines = append(lines, l)
	}
	require.Len(t, lines, 2)
	require.Equal(t, []int64{done, waiting}, []int64{lines[0].EntryID, lines[1].EntryID})
	require.Equal(t, []string{"published", "pending"}, []string{lines[0].Status, lines[1].Status})
	require.Equal(t, "CR-2026-0002", lines[1].ReleaseNumber)
	for _, l := range lines {
		require.True(t, l.Valid && l.SnapshotValid)
		require.True(t, (&review.RequestItem{Snapshot: l.Snapshot, ContentHash: l.ContentHash}).Intact(), "the exported snapshot has the hashed bytes")
		require.Len(t, l.Actions[0].PreviousHash, 64)
	}
	require.Len(t, lines[0].Actions, 5)
	require.Equal(t, lines[0].Actions[3].Hash, lines[0].Actions[4].PreviousHash)
}

// The wire form has all documented members; unset ones are null.
func TestWire(t *testing.T) {
	t.Parallel()
	r := setup(t)
	step := newsroom.CustomRoleStep(1, r.Legal)
	step.StepLabel = ptr("Legal")
	r.SetWorkflow(step, newsroom.Step(2, core.RoleAdmin))
	id := r.submit("A")
	v, err := r.Reviews.Current(t.Context(), r.Actor("legal"), r.Ref(id))
	require.NoError(t, err)
	body, err := json.Marshal(wire.ApprovalRequestOf(*v))
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(body, &got))
	ids := func(names ...string) []any {
		var found []float64
		for _, name := range names {
			found = append(found, float64(r.Actor(name).User.ID))
		}
		slices.Sort(found)
		shown := make([]any, len(found))
		for i, id := range found {
			shown[i] = id
		}
		return shown
	}
	legal := map[string]any{
		"stepId": 1.0, "approvals": 1.0, "stepOrder": 1.0, "requiredRoleKind": "tenant_admin", "requiredCustomRoleId": float64(r.Legal.ID), "stepLabel": "Legal",
		"allowRevision": true, "allowRejection": true,
	}
	require.Equal(t, map[string]any{
		"id": float64(v.Request.ID), "releaseNumber": "CR-2026-0001", "status": "pending", "title": "A", "kind": "entry", "releaseId": nil, "releaseName": nil, "entryId": float64(id),
		"collectionId": float64(r.Articles.ID), "projectId": float64(r.Project.ID), "locale": "en", "openComments": 0.0, "dueAt": nil, "overdue": false, "currentStep": legal,
		"currentSteps": []any{legal}, "canActOn": []any{1.0},
		"steps": []any{legal, map[string]any{
			"stepId": 2.0, "approvals": 1.0, "stepOrder": 2.0, "requiredRoleKind": "admin", "requiredCustomRoleId": nil, "stepLabel": nil, "allowRevision": true, "allowRejection": true,
		}},
		"deciders": []any{
			map[string]any{"stepId": 1.0, "stepOrder": 1.0, "userIds": ids("legal")}, map[string]any{"stepId": 2.0, "stepOrder": 2.0, "userIds": ids("super", "tenant", "department", "admin")},
		},
		"contentHash":    v.Request.ContentHash(),
		"snapshot":       map[string]any{"collection": "articles", "fields": map[string]any{"tags": []any{}, "title": "A"}, "locale": "en"},
		"contentChanged": false, "scheduledPublishAt": nil, "scheduledUnpublishAt": nil, "submittedAt": "2026-03-03T12:00:00.000Z", "publishedAt": nil,
		"submittedBy":  map[string]any{"kind": "user", "id": float64(r.IDs["editor"]), "name": "editor"},
		"contributors": []any{map[string]any{"kind": "user", "id": float64(r.IDs["editor"]), "name": "editor"}},
		"actions": []any{map[string]any{
			"id": float64(v.Actions[0].ID), "type": "submit", "stepOrder": nil, "comment": nil, "contentHash": v.Request.ContentHash(), "draftHash": v.Request.ContentHash(),
			"actor":     map[string]any{"kind": "user", "id": float64(r.IDs["editor"]), "name": "editor"},
			"createdAt": "2026-03-03T12:00:00.000Z", "hash": v.Actions[0].Hash,
		}},
		"canAct": true, "canReschedule": false, "canPublishNow": false, "allowSelfApproval": true,
	}, got)
}
