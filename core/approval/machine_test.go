package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

var (
	noon  = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	later = noon.Add(time.Hour)
	end   = noon.Add(9 * time.Hour)
	ada   = core.ActorRef{Kind: "user", ID: 7, Name: "Ada"}
)

// state is the state of a request with three steps. Steps 1 and 3 allow rejection and revision;
// step 2 allows neither.
type state struct {
	status review.RequestStatus
	step   int       // from 1; 0 for none
	at     time.Time // scheduled
	end    time.Time // of the publication
}

func (s state) request() review.Request {
	r := review.Request{
		ID: 1, ProjectID: 2, Status: s.status, Version: 5, ScheduledAt: s.at, UnpublishAt: s.end, ChainHash: "before",
		Items: []review.RequestItem{{EntryID: 3, ContentHash: "c0ffee"}},
		Steps: []review.Step{
			{Order: 10, RoleKind: core.RoleAdmin, AllowRevision: true, AllowRejection: true},
			{Order: 20, RoleKind: core.RoleAdmin},
			{Order: 30, RoleKind: core.RoleAdmin, AllowRevision: true, AllowRejection: true},
		},
		Current: 2,
	}
	if s.step > 0 {
		r.Current = s.step - 1
	}
	return r
}

func stateOf(r *review.Request) state {
	s := state{status: r.Status, at: r.ScheduledAt, end: r.UnpublishAt}
	if r.CurrentStep() != nil {
		s.step = r.Current + 1
	}
	return s
}

// The states of the table.
var (
	atStep1   = state{status: review.RequestPending, step: 1}
	atStep2   = state{status: review.RequestPending, step: 2}
	atStep3   = state{status: review.RequestPending, step: 3}
	approved  = state{status: review.RequestApproved, at: later}
	published = state{status: review.RequestPublished}
	rejected  = state{status: review.RequestRejected}
	revised   = state{status: review.RequestRevision}
	withdrawn = state{status: review.RequestWithdrawn}
)

func (s state) until(at time.Time) state  { s.at = at; return s }
func (s state) ending(at time.Time) state { s.end = at; return s }

// The transitions of the table.
var (
	approve      = transition{what: review.ActionApprove, due: true}
	approveEarly = transition{what: review.ActionApprove} // the scheduled time is in the future
	reject       = transition{what: review.ActionReject, comment: "no"}
	rejectMute   = transition{what: review.ActionReject}
	revise       = transition{what: review.ActionRequestRevision, comment: "please"}
	reviseMute   = transition{what: review.ActionRequestRevision}
	reviseBlank  = transition{what: review.ActionRequestRevision, comment: " \t\n"}
	withdraw     = transition{what: review.ActionWithdraw}
	publishNow   = transition{what: review.ActionPublishNow, comment: "go"}
	duePublish   = transition{what: review.ActionPublish, due: true}
	putOff       = transition{what: review.ActionReschedule, times: publishAt(later.Add(time.Hour))}
	bringForward = transition{what: review.ActionReschedule, times: publishAt(noon), due: true}
	unschedule   = transition{what: review.ActionReschedule, times: schedule.Times{PublishAt: core.Null[time.Time]()}, due: true}

	endAt       = transition{what: review.ActionReschedule, times: unpublishAt(end)}
	endPast     = transition{what: review.ActionReschedule, times: unpublishAt(noon), over: true}
	endEarly    = transition{what: review.ActionReschedule, times: unpublishAt(later)}
	endNever    = transition{what: review.ActionReschedule, times: schedule.Times{UnpublishAt: core.Null[time.Time]()}}
	moveBoth    = transition{what: review.ActionReschedule, times: schedule.Times{PublishAt: core.Some(end), UnpublishAt: core.Some(end.Add(time.Hour))}}
	putOffToEnd = transition{what: review.ActionReschedule, times: publishAt(end)}
	approveOver = transition{what: review.ActionApprove, due: true, over: true}
	releaseOver = transition{what: review.ActionPublishNow, over: true}
	dueOver     = transition{what: review.ActionPublish, due: true, over: true}
)

func publishAt(at time.Time) schedule.Times   { return schedule.Times{PublishAt: core.Some(at)} }
func unpublishAt(at time.Time) schedule.Times { return schedule.Times{UnpublishAt: core.Some(at)} }

// applied returns r after the transition and the actions to record, linked.
func applied(t transition, r review.Request) (review.Request, []*review.Action, error) {
	if t.what.Decision() {
		t.step = r.Current + 1
	}
	after, err := t.apply(r)
	if err != nil || after.Version == r.Version {
		return after, nil, err
	}
	actions := t.record(&r, &after)
	return after, actions, nil
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	const tooLong = 4001
	for name, row := range map[string]struct {
		from       state
		transition transition
		to         state
		record     string // type@step of the actions
		refused    string // code and locations of the error, if refused
	}{
		"approve, not the last step":                    {atStep1, approve, atStep2, "approve@10", ""},
		"approve, not the last step, scheduled":         {atStep2.until(later), approveEarly, atStep3.until(later), "approve@20", ""},
		"approve the last step, no time":                {atStep3, approve, published, "approve@30 publish@0", ""},
		"approve the last step, its time in the future": {atStep3.until(later), approveEarly, approved, "approve@30", ""},
		"approve the last step, its time past":          {atStep3.until(noon), approve, published.until(noon), "approve@30 publish@0", ""},
		"publish-now, scheduled":                        {approved, publishNow, published.until(later), "publish_now@0 publish@0", ""},
		"the time arrives":                              {approved, duePublish, published.until(later), "publish@0", ""},
		"reject, the step allows it":                    {atStep1, reject, rejected, "reject@10", ""},
		"reject needs no comment":                       {atStep3, rejectMute, rejected, "reject@30", ""},
		"reject, the step does not allow it":            {atStep2, reject, atStep2, "", "invalid stepOrder"},
		"revision, the step allows it":                  {atStep1, revise, revised, "request_revision@10", ""},
		"revision without a comment":                    {atStep1, reviseMute, atStep1, "", "invalid comment"},
		"revision with a blank comment":                 {atStep3, reviseBlank, atStep3, "", "invalid comment"},
		"revision, the step does not allow it":          {atStep2, revise, atStep2, "", "invalid stepOrder"},
		"revision, neither allowed nor commented":       {atStep2, reviseMute, atStep2, "", "invalid stepOrder comment"},
		"unchecked while pending":                       {atStep2, withdraw, withdrawn, "withdraw@0", ""},
		"unpublished while scheduled":                   {approved, withdraw, withdrawn.until(later), "withdraw@0", ""},
		"rescheduled while pending":                     {atStep2, putOff, atStep2.until(*putOff.times.PublishAt.Value), "reschedule@0", ""},
		"unscheduled while pending":                     {atStep2.until(later), unschedule, atStep2, "reschedule@0", ""},
		"rescheduled to the past while pending":         {atStep2, bringForward, atStep2.until(noon), "reschedule@0", ""},
		"put off once approved":                         {approved, putOff, approved.until(*putOff.times.PublishAt.Value), "reschedule@0", ""},
		"brought forward to the past once approved":     {approved, bringForward, published.until(noon), "reschedule@0 publish@0", ""},
		"unscheduled once approved":                     {approved, unschedule, approved, "", "invalid publishAt"},

		"an end while pending":                      {atStep1, endAt, atStep1.ending(end), "reschedule@0", ""},
		"an end once approved":                      {approved, endAt, approved.ending(end), "reschedule@0", ""},
		"an end once approved, publication overdue": {approved.until(noon), transition{what: review.ActionReschedule, times: unpublishAt(end), due: true}, approved.until(noon).ending(end), "reschedule@0", ""},
		"no end any more":                           {approved.ending(end), endNever, approved, "reschedule@0", ""},
		"put off, the end stays":                    {approved.ending(end), putOff, approved.until(*putOff.times.PublishAt.Value).ending(end), "reschedule@0", ""},
		"both moved":                                {approved.ending(end), moveBoth, approved.until(end).ending(end.Add(time.Hour)), "reschedule@0", ""},
		"brought forward, the end stays":            {approved.ending(end), bringForward, published.until(noon).ending(end), "reschedule@0 publish@0", ""},
		"put off to the end":                        {approved.ending(end), putOffToEnd, approved.ending(end), "", "invalid unpublishAt"},
		"an end at the publication":                 {approved, endEarly, approved, "", "invalid unpublishAt"},
		"an end in the past":                        {atStep1, endPast, atStep1, "", "invalid unpublishAt"},
		"an end after the year 9999":                {atStep1, transition{what: review.ActionReschedule, times: unpublishAt(end.AddDate(9999, 0, 0))}, atStep1, "", "invalid unpublishAt"},
		"approve the last step, with an end":        {atStep3.ending(end), approve, published.ending(end), "approve@30 publish@0", ""},
		"approve the last step, its end past":       {atStep3.ending(noon), approveOver, atStep3.ending(noon), "", "invalid unpublishAt"},
		"approve, not the last step, its end past":  {atStep1.ending(noon), approveOver, atStep2.ending(noon), "approve@10", ""},
		"publish-now, its end past":                 {approved.ending(noon), releaseOver, approved.ending(noon), "", "invalid unpublishAt"},
		"the time arrives, its end past":            {approved.ending(noon), dueOver, published.until(later).ending(noon), "publish@0", ""},
		"withdrawn with an end":                     {approved.ending(end), withdraw, withdrawn.until(later).ending(end), "withdraw@0", ""},

		"approve what is approved":       {approved, approve, approved, "", "not_pending"},
		"reject what is approved":        {approved, reject, approved, "", "not_pending"},
		"revise what is approved":        {approved, reviseMute, approved, "", "not_pending"},
		"publish-now what is pending":    {atStep3, publishNow, atStep3, "", "not_approved"},
		"the time arrives while pending": {atStep3.until(noon), duePublish, atStep3.until(noon), "", "not_approved"},
		"a comment that is too long":     {atStep1, transition{what: review.ActionApprove, comment: strings.Repeat("é", tooLong)}, atStep1, "", "invalid comment"},
		"the longest comment":            {atStep1, transition{what: review.ActionApprove, comment: strings.Repeat("é", tooLong-1)}, atStep2, "approve@10", ""},
		"a comment with U+0000":          {atStep1, transition{what: review.ActionReject, comment: "a\x00b"}, atStep1, "", "invalid comment"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.transition.by, row.transition.at = ada, noon
			before := row.from.request()
			after, actions, err := applied(row.transition, before)
			require.Equal(t, row.refused, refusal(err))
			require.Equal(t, row.to, stateOf(&after))
			require.Equal(t, row.record, recorded(actions))
			require.Equal(t, row.from.request(), before, "the input is unchanged")
			if err != nil {
				require.Equal(t, before, after)
				return
			}
			require.Equal(t, before.Version+1, after.Version)
			require.Equal(t, after.Status == review.RequestPublished, after.PublishedAt.Equal(noon))
			checkRecord(t, &before, &after, row.transition, actions)
		})
	}
}

// A request that has ended refuses every transition.
func TestEndedRequestsRefuseTransitions(t *testing.T) {
	t.Parallel()
	for _, over := range []state{published, rejected, revised, withdrawn} {
		for _, transition := range []transition{
			approve, approveEarly, reject, rejectMute, revise, reviseMute, withdraw, publishNow, duePublish, putOff, bringForward, unschedule,
		} {
			transition.by, transition.at = ada, noon
			after, actions, err := applied(transition, over.request())
			require.ErrorIs(t, err, core.ErrConflict, "%s of %s", transition.what, over.status)
			require.Empty(t, actions)
			require.Equal(t, over.request(), after)
		}
	}
}

// checkRecord checks that every action has the content hash and links to the previous action.
func checkRecord(t *testing.T, before, after *review.Request, transition transition, actions []*review.Action) {
	t.Helper()
	chain := before.ChainHash
	for i, a := range actions {
		require.Equal(t, before.ContentHash(), a.ContentHash)
		require.Equal(t, ada, a.Actor)
		require.Equal(t, noon, a.CreatedAt)
		require.Equal(t, []int64{before.ProjectID, before.ID}, []int64{a.ProjectID, a.RequestID})
		require.Equal(t, chain, a.PreviousHash)
		require.Equal(t, actionHash(after, a), a.Hash)
		require.Equal(t, after.Outcome(), a.Outcome, "the state after the whole transition")
		require.Equal(t, transition.draftHash, a.DraftHash)
		chain = a.Hash
		if i == 0 {
			require.Equal(t, transition.comment, a.Comment)
			if a.Type == review.ActionReschedule {
				require.Equal(t, []time.Time{after.ScheduledAt, after.UnpublishAt}, []time.Time{a.ScheduledAt, a.UnpublishAt})
			}
		}
	}
	require.Equal(t, chain, after.ChainHash)
	if transition.what == review.ActionApprove {
		require.Equal(t, []review.Approval{{StepID: before.Current + 1, Person: ada.ID}}, after.Approvals)
	} else {
		require.Empty(t, after.Approvals)
	}
}

func refusal(err error) string {
	var fault *core.Error
	if !errors.As(err, &fault) {
		return ""
	}
	words := []string{fault.Code}
	for _, f := range fault.Fields {
		words = append(words, f.Location)
	}
	return strings.Join(words, " ")
}

func recorded(actions []*review.Action) string {
	words := make([]string, len(actions))
	for i, a := range actions {
		words[i] = string(a.Type) + "@" + strconv.Itoa(a.StepOrder)
	}
	return strings.Join(words, " ")
}

func TestSubmission(t *testing.T) {
	t.Parallel()
	collection := &core.Collection{ID: 4, Slug: "articles", Fields: []*core.Field{
		{Name: "title", Type: core.TypeText}, {Name: "note", Type: core.TypeText, Hidden: true},
	}}
	schema := core.Schema{Project: &core.Project{ID: 2, TenantID: 1}, Collection: collection}
	e := &core.Entry{ID: 3, ProjectID: 2, CollectionID: 4, Locale: "en", Draft: core.Document(`{"note":"psst","title":"A"}`)}
	w := review.Workflow{Steps: atStep1.request().Steps, AllowSelfApproval: true}
	newYear := time.Date(2027, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600)) // 2026 in UTC

	e.Revision = (&core.RevisionRecord{Number: 3, Contributors: []core.Contributor{{ActorRef: ada, Revision: 2}}}).Encode()
	r, opening, err := submitted(w, schema, e, nil, ada, newYear, schedule.Period{From: later, Until: end}, nil)
	require.NoError(t, err)
	require.Equal(t, []core.ActorRef{ada}, r.Contributors)
	require.Equal(t, 2, r.RecordFormat)
	r.ID, opening.RequestID = 9, 9
	seal(r, opening)
	require.Equal(t, `{"collection":"articles","fields":{"title":"A"},"locale":"en"}`, string(r.Item().Snapshot))
	require.True(t, r.Item().Intact())
	require.Equal(t, `{"note":"psst"}`, string(r.Item().Withheld))
	require.Equal(t, 2026, r.ReleaseYear)
	require.Equal(t, atStep1.until(later).ending(end), stateOf(r))
	require.Equal(t, []time.Time{later, end}, []time.Time{opening.ScheduledAt, opening.UnpublishAt})
	require.Equal(t, review.ActionSubmit, opening.Type)
	require.Equal(t, termsHash(r), opening.PreviousHash)
	require.Equal(t, actionHash(r, opening), r.ChainHash)
	require.Equal(t, r.ContentHash(), opening.DraftHash)
	require.True(t, Verify(*r, []review.Action{*opening}).Valid())

	w.Steps[0].RoleKind, w.Steps[0].RemindAfter = core.RoleTenantAdmin, 9
	require.Equal(t, core.RoleAdmin, r.Steps[0].RoleKind, "later edits of the workflow do not touch it")
	r.Steps[0].RemindAfter = 9
	require.Equal(t, opening.PreviousHash, termsHash(r), "reminders are no part of the record")
	require.Equal(t, 9, StepsOf(r.Steps, review.Deciders{})[0].RemindAfter)
}

// publishedRequest returns a request of that format that three users approved, with its actions.
func publishedRequest(t *testing.T, format int) (review.Request, []review.Action) {
	t.Helper()
	r := atStep1.request()
	r.RecordFormat = format
	if format > 1 {
		r.Contributors = []core.ActorRef{ada}
	}
	r.TenantID, r.Item().CollectionID, r.Item().Locale, r.ReleaseYear, r.ReleaseCount = 8, 4, "en", 2026, 17
	r.SubmittedBy, r.SubmittedAt = core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 6}, noon
	r.Item().Snapshot, r.Item().ContentHash, _ = (&core.Collection{Slug: "a"}).Snapshot("en", core.Document("{}"), nil)
	if format > 2 {
		asRelease(&r)
	}
	opening := &review.Action{
		ProjectID: 2, RequestID: 1, Type: review.ActionSubmit, Actor: r.SubmittedBy, ContentHash: r.ContentHash(), DraftHash: r.ContentHash(),
		CreatedAt: noon, Outcome: r.Outcome(),
	}
	seal(&r, opening)
	actions := []review.Action{*opening}
	for _, step := range []transition{approve, approve, approve} {
		step.by, step.at, step.draftHash = ada, noon, "d4af7"
		after, done, err := applied(step, r)
		require.NoError(t, err)
		for _, a := range done {
			actions = append(actions, *a)
		}
		r = after
	}
	require.Len(t, actions, 5)
	return r, actions
}

// asRelease makes r the request of a release with two members: its item, and one that goes offline.
func asRelease(r *review.Request) {
	r.Item().Collection, r.Item().Action = "a", schedule.Publish
	r.Items = append(r.Items, review.RequestItem{
		EntryID: r.Item().EntryID + 1, CollectionID: 4, Collection: "b", Locale: "de", Action: schedule.Unpublish, BaseNumber: 7, BaseHash: "ba5e",
	})
	r.Release = &review.RequestRelease{ID: 11, Name: "Spring <launch>"}
	r.Release.ContentHash = review.ReleaseHash(11, "Spring <launch>", review.MembersOf(r.Items))
}

func faultsOf(a *Audit) string {
	places := make([]string, len(a.Faults))
	for i, f := range a.Faults {
		places[i] = f.Location
	}
	return strings.Join(places, " ")
}

// Verify locates every change of the actions, the terms and the state.
func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	r, actions := publishedRequest(t, 2)
	whole := Verify(r, actions)
	require.True(t, whole.Valid() && whole.SnapshotValid, whole.Faults)
	require.Equal(t, actions[0].Hash, whole.Actions[1].PreviousHash)

	type record struct {
		*review.Request

		a []review.Action
	}
	for name, row := range map[string]struct {
		tamper func(*record)
		faults string
	}{
		"a comment":                {func(r *record) { r.a[1].Comment = "fine" }, "actions[1]"},
		"an actor":                 {func(r *record) { r.a[2].Actor.ID++ }, "actions[2]"},
		"a token's creator":        {func(r *record) { r.a[0].Actor.MadeBy = 0 }, "actions[0]"},
		"a time":                   {func(r *record) { r.a[2].CreatedAt = later }, "actions[2]"},
		"a requested time":         {func(r *record) { r.a[0].ScheduledAt = later }, "actions[0]"},
		"a requested end":          {func(r *record) { r.a[0].UnpublishAt = later }, "actions[0]"},
		"a proof":                  {func(r *record) { r.a[1].Verified = core.WayPasskey }, "actions[1]"},
		"a step":                   {func(r *record) { r.a[3].StepOrder = 10 }, "actions[3]"},
		"a content hash":           {func(r *record) { r.a[3].ContentHash = "other" }, "actions[3] actions[3].contentHash"},
		"a draft":                  {func(r *record) { r.a[3].DraftHash = "other" }, "actions[3]"},
		"an outcome":               {func(r *record) { r.a[1].Outcome.StepIndex = new(2) }, "actions[1]"},
		"a link":                   {func(r *record) { r.a[1].PreviousHash = r.a[3].Hash }, "actions[1]"},
		"a hash":                   {func(r *record) { r.a[1].Hash = r.a[3].Hash }, "actions[1] actions[2].previousHash"},
		"a rewritten action":       {func(r *record) { r.a[1].Comment = "fine"; r.a[1].Hash = actionHash(r.Request, &r.a[1]) }, "actions[2].previousHash"},
		"a missing action":         {func(r *record) { r.a = append(r.a[:1:1], r.a[2:]...) }, "actions[1].previousHash"},
		"the first missing":        {func(r *record) { r.a = r.a[1:] }, "terms"},
		"a missing end":            {func(r *record) { r.a = r.a[:4] }, "chainHash"},
		"an earlier chain":         {func(r *record) { r.a = r.a[:3]; r.ChainHash = r.a[2].Hash }, "state.status state.approvers state.publishedAt state.version"},
		"two swapped":              {func(r *record) { r.a[1], r.a[2] = r.a[2], r.a[1] }, "actions[1].previousHash actions[2].previousHash actions[3].previousHash"},
		"another request's action": {func(r *record) { r.a[1].RequestID = 99 }, "actions[1]"},
		"no actions":               {func(r *record) { r.a, r.ChainHash = nil, "" }, "actions"},
		"the chain's end":          {func(r *record) { r.ChainHash = "60d" }, "chainHash"},

		"the tenant":               {func(r *record) { r.TenantID++ }, "terms"},
		"the project":              {func(r *record) { r.ProjectID++ }, "terms"},
		"the collection":           {func(r *record) { r.Item().CollectionID++ }, "terms"},
		"the entry":                {func(r *record) { r.Item().EntryID++ }, "terms"},
		"the locale":               {func(r *record) { r.Item().Locale = "de" }, "terms"},
		"the release's year":       {func(r *record) { r.ReleaseYear++ }, "terms"},
		"the release's number":     {func(r *record) { r.ReleaseCount++ }, "terms"},
		"a step left out":          {func(r *record) { r.Steps = r.Steps[1:] }, "terms"},
		"what a step allows":       {func(r *record) { r.Steps[1].AllowRejection = true }, "terms"},
		"what a step asks for":     {func(r *record) { r.Steps[1].Reauthenticate = true }, "terms"},
		"a step's role":            {func(r *record) { r.Steps[1].CustomRoleID = 7 }, "terms"},
		"whether self-approval":    {func(r *record) { r.AllowSelfApproval = true }, "terms"},
		"the submitter":            {func(r *record) { r.SubmittedBy.ID++ }, "terms"},
		"the submitter's name":     {func(r *record) { r.SubmittedBy.Name = "Bot" }, "terms"},
		"the submitter's kind":     {func(r *record) { r.SubmittedBy.Kind = "user" }, "terms"},
		"the creator of its token": {func(r *record) { r.SubmittedBy.MadeBy = 0 }, "terms"},
		"when it was submitted":    {func(r *record) { r.SubmittedAt = later }, "terms"},
		"a contributor":            {func(r *record) { r.Contributors = []core.ActorRef{} }, "terms"},
		"a contributor's name":     {func(r *record) { r.Contributors = []core.ActorRef{{Kind: "user", ID: 7, Name: "Eve"}} }, "terms"},
		"the format":               {func(r *record) { r.RecordFormat = 1 }, "terms"},
		"the status":               {func(r *record) { r.Status = review.RequestRejected }, "state.status"},
		"the step":                 {func(r *record) { r.Current = 0 }, "state.stepIndex"},
		"the approvers":            {func(r *record) { r.Approvals = r.Approvals[:2] }, "state.approvers"},
		"the schedule":             {func(r *record) { r.ScheduledAt = later }, "state.scheduledPublishAt"},
		"the end":                  {func(r *record) { r.UnpublishAt = later }, "state.scheduledUnpublishAt"},
		"when it was published":    {func(r *record) { r.PublishedAt = later }, "state.publishedAt"},
		"the version":              {func(r *record) { r.Version++ }, "state.version"},
		"the snapshot":             {func(r *record) { r.Item().Snapshot = []byte(`{"collection":"b"}`) }, "snapshot"},
		"the hash of the content":  {func(r *record) { r.Item().ContentHash = "c0ffee" }, "snapshot terms " + stamps},
		"the snapshot and hash": {func(r *record) {
			r.Item().Snapshot, r.Item().ContentHash, _ = (&core.Collection{Slug: "b"}).Snapshot("en", nil, nil)
		}, "terms " + stamps},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tampered, copied := r, slices.Clone(actions)
			tampered.Steps, tampered.Items = slices.Clone(r.Steps), slices.Clone(r.Items)
			rec := &record{&tampered, copied}
			row.tamper(rec)
			found := Verify(tampered, rec.a)
			require.False(t, found.Valid())
			require.Equal(t, row.faults, faultsOf(found))
			require.Equal(t, !strings.Contains(row.faults, "snapshot") && !strings.Contains(row.faults, "contentHash"), found.SnapshotValid)
		})
	}
}

// TestVerifyFindsTamperingOfReleases locates every change of a release and its members.
func TestVerifyFindsTamperingOfReleases(t *testing.T) {
	t.Parallel()
	r, actions := publishedRequest(t, 3)
	require.True(t, Verify(r, actions).Valid(), Verify(r, actions).Faults)
	for name, row := range map[string]struct {
		tamper func(r *review.Request, a []review.Action)
		faults string
	}{
		"the id":              {func(r *review.Request, _ []review.Action) { r.Release.ID++ }, "terms.contentHash terms"},
		"the name":            {func(r *review.Request, _ []review.Action) { r.Release.Name = "Other" }, "terms.contentHash terms"},
		"the hash":            {func(r *review.Request, _ []review.Action) { r.Release.ContentHash = "60d" }, "terms.contentHash terms " + stamps},
		"a snapshot":          {func(r *review.Request, _ []review.Action) { r.Items[0].Snapshot = []byte("{}") }, "terms.release.members[0]"},
		"a snapshot too many": {func(r *review.Request, _ []review.Action) { r.Items[1].Snapshot = []byte("{}") }, "terms.release.members[1]"},
		"a snapshot and hash": {func(r *review.Request, _ []review.Action) {
			r.Items[0].Snapshot, r.Items[0].ContentHash, _ = (&core.Collection{Slug: "b"}).Snapshot("en", nil, nil)
		}, "terms.contentHash terms"},
		"an entry":        {func(r *review.Request, _ []review.Action) { r.Items[1].EntryID++ }, "terms.contentHash terms"},
		"a collection":    {func(r *review.Request, _ []review.Action) { r.Items[1].Collection = "c" }, "terms.contentHash terms"},
		"a locale":        {func(r *review.Request, _ []review.Action) { r.Items[1].Locale = "fr" }, "terms.contentHash terms"},
		"an action":       {func(r *review.Request, _ []review.Action) { r.Items[1].Action = schedule.Publish }, "terms.release.members[1] terms.contentHash terms"},
		"a base":          {func(r *review.Request, _ []review.Action) { r.Items[1].BaseNumber++ }, "terms.contentHash terms"},
		"the hash of one": {func(r *review.Request, _ []review.Action) { r.Items[1].BaseHash = "60d" }, "terms.contentHash terms"},
		"no base":         {func(r *review.Request, _ []review.Action) { r.Items[1].BaseNumber = 0 }, "terms.contentHash terms"},
		"a member less":   {func(r *review.Request, _ []review.Action) { r.Items = r.Items[:1] }, "terms.contentHash terms"},
		"a member more": {func(r *review.Request, _ []review.Action) {
			more := r.Items[1]
			more.EntryID = 99
			r.Items = append(r.Items, more)
		}, "terms.contentHash terms"},
		"no release":  {func(r *review.Request, _ []review.Action) { r.Release = nil }, "terms " + stamps},
		"the format":  {func(r *review.Request, _ []review.Action) { r.RecordFormat = 2 }, "terms actions[1] actions[2] actions[3] state.stepIndex state.approvers state.approvals"},
		"an approver": {func(r *review.Request, _ []review.Action) { r.Approvals[0].Person = 99 }, "state.approvals"},
		"a step":      {func(_ *review.Request, a []review.Action) { a[2].StepOrder = a[1].StepOrder }, "actions[2]"},
		"an approval": {func(_ *review.Request, a []review.Action) {
			a[3].Outcome.Approvals = slices.Clone(a[3].Outcome.Approvals)
			a[3].Outcome.Approvals[0].For = 9
		}, "actions[3]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tampered, copied, release := r, slices.Clone(actions), *r.Release
			tampered.Items, tampered.Approvals, tampered.Release = slices.Clone(r.Items), slices.Clone(r.Approvals), &release
			row.tamper(&tampered, copied)
			found := Verify(tampered, copied)
			require.Equal(t, row.faults, faultsOf(found))
			require.Equal(t, strings.Contains(row.faults, "contentHash") || strings.Contains(row.faults, "members"), !found.SnapshotValid)
		})
	}
}

// TestRecordsOfReleases compares the canonical JSON of a record of format 3 byte by byte.
func TestRecordsOfReleases(t *testing.T) {
	t.Parallel()
	r, actions := publishedRequest(t, 3)
	record := Verify(r, actions).Record()
	require.Contains(t, string(canonical.Of(record.Terms)), `"collectionId":null,"contentHash":"`+r.Release.ContentHash+`","contributors":[{"id":7,"kind":"user","name":"Ada"}],"entryId":null,"format":3,"kind":"release","locale":null,`+
		`"projectId":2,"release":{"id":11,"members":[`+
		`{"action":"publish","collection":"a","entry":3,"hash":"`+r.Items[0].ContentHash+`","locale":"en"},`+
		`{"action":"unpublish","base":{"hash":"ba5e","number":7},"collection":"b","entry":4,"locale":"de"}],"name":"Spring <launch>"}`)
	require.Contains(t, string(canonical.Of(record.Terms)), `"applies":true,"approvals":1,"delegable":false,"requiredCustomRoleId":null,"requiredRoleKind":"admin","stepId":1,`)
	require.Contains(t, string(canonical.Of(record.Actions[0])), `"outcome":{"approvals":[],"status":"pending","version":5}`)
	require.NotContains(t, string(canonical.Of(record.Actions[0])), "stepId")
	require.Contains(t, string(canonical.Of(record.Actions[2])), `"outcome":{"approvals":[{"person":7,"stepId":1},{"person":7,"stepId":2}],"status":"pending","version":7},"previousHash":"`+record.Actions[1].Hash+`","stepId":2,"stepOrder":20,`)
	require.NotContains(t, string(canonical.Of(record.Actions[4])), `"stepId":3,"stepOrder"`)
	sum := sha256.Sum256([]byte(`{"members":[{"action":"publish","collection":"a","entry":3,"hash":"` + r.Items[0].ContentHash + `","locale":"en"},` +
		`{"action":"unpublish","base":{"hash":"ba5e","number":7},"collection":"b","entry":4,"locale":"de"}],"release":{"id":11,"name":"Spring <launch>"}}`))
	require.Equal(t, hex.EncodeToString(sum[:]), r.ContentHash())
	require.Equal(t, KindRelease, KindOf(&r))
	slices.Reverse(r.Items)
	require.Equal(t, record.Terms, termsOf(&r), "members are ordered by entry")
}

// The hashes of records of format 1 and 2 never change, whatever later formats add.
func TestEarlierFormatsStay(t *testing.T) {
	t.Parallel()
	for format, want := range map[int]string{
		1: "859747878032a57f80e58b4ea79a2250f8ffb09d8d02559a515cac3e873916eb",
		2: "78fb6a856e6f025d13114f8638a3950130cc30c082cc046dc7709c1f8eed6e39",
	} {
		r, actions := publishedRequest(t, format)
		require.Equal(t, want, r.ChainHash, "format %d", format)
		require.Equal(t, r.ChainHash, actions[len(actions)-1].Hash)
	}
}

// Requests keep the format of their submission. The hashes of terms are the examples of api/audit.md.
func TestFormatsOfRecords(t *testing.T) {
	t.Parallel()
	emil := core.ActorRef{Kind: "user", ID: 8, Name: "Emil Santos"}
	token := core.ActorRef{Kind: "token", ID: 7, Name: "CI", MadeBy: 6}
	example := review.Request{
		ID: 5, TenantID: 1, ProjectID: 2, ReleaseYear: 2026, ReleaseCount: 1,
		Items:       []review.RequestItem{{CollectionID: 3, EntryID: 4, Locale: "en", ContentHash: "64d86bf5ed5c16be9a1a4784ca83c8f30b871e58adac9582660c6972d7730291"}},
		Steps:       []review.Step{{Order: 1, RoleKind: core.RoleAdmin, Label: "Desk", AllowRevision: true, AllowRejection: true}},
		SubmittedBy: token, SubmittedAt: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC), Contributors: []core.ActorRef{emil, token},
	}
	documented, err := os.ReadFile("../../api/audit.md")
	require.NoError(t, err)
	for format := range 2 {
		example.RecordFormat = format + 1
		require.Contains(t, string(documented), "\n"+termsHash(&example)+"\n")
		r, actions := publishedRequest(t, format+1)
		require.True(t, Verify(r, actions).Valid())
	}
	release := example
	release.RecordFormat = 3
	release.Items = []review.RequestItem{
		{EntryID: 4, Collection: "articles", Locale: "en", Action: schedule.Publish, ContentHash: example.Items[0].ContentHash},
		{
			EntryID: 6, Collection: "notices", Locale: "de", Action: schedule.Unpublish,
			BaseNumber: 2, BaseHash: "8a4bf6a2ac54a919943a7f7213e4d335f541752f71d6761100a9893654fab7e6",
		},
	}
	release.Release = &review.RequestRelease{ID: 9, Name: "Spring launch", ContentHash: review.ReleaseHash(9, "Spring launch", review.MembersOf(release.Items))}
	require.Contains(t, string(documented), "\n"+release.ContentHash()+"\n")
	require.Contains(t, string(documented), "\n"+string(canonical.Of(termsOf(&release)))+"\n")
	require.Contains(t, string(documented), "\n"+termsHash(&release)+"\n")
	example.RecordFormat, example.Contributors = 2, nil
	require.Equal(t, []core.ActorRef{}, termsOf(&example).Contributors)
}

// stamps lists the content hash locations of all actions.
const stamps = "actions[0].contentHash actions[1].contentHash actions[2].contentHash actions[3].contentHash actions[4].contentHash"
