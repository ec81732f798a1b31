package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
	"imprimatur/core/review"
)

// The approval examples of the OpenAPI document form one story. Emil submits an article of the
// Newsroom, whose workflow has three steps. Paul approves it for the editors, Leila for
// Legal, Dina for the department, and it is published.

const (
	storySnapshot = `{"collection":"articles","fields":{"cover":12,"slug":"ceasefire-holds","title":"Ceasefire holds"},"locale":"en",` +
		`"media":{"12":` + storySealed + `}}`
	storySealed = `{"caption":"The harbour at dawn","fileName":"harbour.jpg","hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","tags":["harbour"]}`
	storyTime   = "2026-03-02T09:30:00.000Z"
	storyDue    = "2026-03-03T06:00:00.000Z"
	storyEnd    = "2026-04-03T06:00:00.000Z"
)

var storyHash = digest(storySnapshot)

// The users in the story.
var (
	emil  = core.ActorRef{Kind: "user", ID: 6, Name: "Emil Santos"}
	paul  = core.ActorRef{Kind: "user", ID: 4, Name: "Paul Lindqvist"}
	leila = core.ActorRef{Kind: "user", ID: 5, Name: "Leila Tanaka"}
	dina  = core.ActorRef{Kind: "user", ID: 3, Name: "Dina Haddad"}
)

var (
	newsroomSteps = wire.WorkflowInput{Steps: []wire.StepInput{
		{StepOrder: 1, RequiredRoleKind: "admin", StepLabel: new("Desk editor"), RemindAfter: new(24)},
		{StepOrder: 2, RequiredRoleKind: "department_admin", RequiredCustomRoleID: new(int64(1)), StepLabel: new("Legal")},
		{StepOrder: 3, RequiredRoleKind: "department_admin", StepLabel: new("Head of the newsroom"), AllowRejection: new(false)},
	}}
	investorSteps = wire.WorkflowInput{
		Steps:             []wire.StepInput{{StepOrder: 1, RequiredRoleKind: "tenant_admin", StepLabel: new("Board office")}},
		AllowSelfApproval: new(false),
	}
	newsroomWorkflow = wire.Workflow{
		Scope: "department", DepartmentID: 1, AllowSelfApproval: true, Unpublishing: "free", UpdatedAt: "2026-01-02T15:04:05.000Z",
		Steps: []approval.WorkflowStep{
			{StepID: 1, Approvals: 1, StepOrder: 1, RequiredRoleKind: core.RoleAdmin, StepLabel: new("Desk editor"), AllowRevision: true, AllowRejection: true, RemindAfter: 24},
			{StepID: 2, Approvals: 1, StepOrder: 2, RequiredRoleKind: core.RoleDepartmentAdmin, RequiredCustomRoleID: new(int64(1)), StepLabel: new("Legal"), AllowRevision: true, AllowRejection: true},
			{StepID: 3, Approvals: 1, StepOrder: 3, RequiredRoleKind: core.RoleDepartmentAdmin, StepLabel: new("Head of the newsroom"), AllowRevision: true},
		},
	}
	investorWorkflow = wire.Workflow{
		Scope: "project", ProjectID: 3, Unpublishing: "free", UpdatedAt: "2026-01-02T15:04:05.000Z",
		Steps: []approval.WorkflowStep{{StepID: 1, Approvals: 1, StepOrder: 1, RequiredRoleKind: core.RoleTenantAdmin, StepLabel: new("Board office"), AllowRevision: true, AllowRejection: true}},
	}
)

// The actions of the story.
var (
	submission    = storyLine{review.ActionSubmit, 0, emil, ""}
	byDesk        = storyLine{review.ActionApprove, 1, paul, ""}
	byLegal       = storyLine{review.ActionApprove, 2, leila, "Quotes are cleared."}
	byHead        = storyLine{review.ActionApprove, 3, dina, ""}
	publishing    = storyLine{review.ActionPublish, 0, dina, ""}
	rejection     = storyLine{review.ActionReject, 1, paul, "We have this story already."}
	sendingBack   = storyLine{review.ActionRequestRevision, 1, paul, "Please name the source of the second quote."}
	withdrawal    = storyLine{review.ActionWithdraw, 0, emil, "The date has moved."}
	rescheduling  = storyLine{review.ActionReschedule, 0, dina, ""}
	publishingNow = storyLine{review.ActionPublishNow, 0, dina, ""}
)

// The requests of the story, and alternative outcomes.
var (
	storySubmitted = storyRequest(review.RequestPending, 1, submission)
	storyAtLegal   = storyRequest(review.RequestPending, 2, submission, byDesk)
	storyPublished = storyRequest(review.RequestPublished, 0, submission, byDesk, byLegal, byHead, publishing)

	storyRejected       = storyRequest(review.RequestRejected, 0, submission, rejection)
	storyWithdrawn      = storyRequest(review.RequestWithdrawn, 0, submission, withdrawal)
	storySentBack       = storyRequest(review.RequestRevision, 0, submission, sendingBack)
	storyScheduled      = scheduled(storyRequest(review.RequestApproved, 0, submission, byDesk, byLegal, byHead, rescheduling))
	storyPublishedEarly = scheduled(storyRequest(review.RequestPublished, 0, submission, byDesk, byLegal, byHead, publishingNow))
)

var (
	storyDiff = wire.ApprovalDiff{
		PublishedToSnapshot: wire.Patch(`[{"op":"replace","path":"/title","value":"Ceasefire holds"}]`),
		SnapshotToDraft:     wire.Patch(`[{"op":"replace","path":"/title","value":"Ceasefire holds for a second week"},{"op":"replace","path":"/@media/12/caption","value":"The harbour at noon"}]`),
		Published: wire.OrNull[wire.ComparedVersion]{Value: &wire.ComparedVersion{
			Fields: wire.Object(`{"cover":12,"slug":"ceasefire-holds","title":"Ceasefire announced"}`), Media: wire.Object(`{"12":` + storySealed + `}`),
		}},
		Draft: wire.OrNull[wire.ComparedVersion]{Value: &wire.ComparedVersion{
			Fields: wire.Object(`{"cover":12,"slug":"ceasefire-holds","title":"Ceasefire holds for a second week"}`),
			Media:  wire.Object(`{"12":` + strings.Replace(storySealed, "dawn", "noon", 1) + `}`),
		}},
		Fields: []wire.Field{
			{Name: "title", Label: "Title", Type: core.TypeText, Required: true, Indexed: true, Searchable: true},
			{Name: "slug", Label: "Slug", Type: core.TypeSlug, Unique: true, Source: "title", Indexed: true},
			{Name: "cover", Label: "Cover", Type: core.TypeMedia},
		},
		Components: []wire.Component{},
		Library: []wire.Encoded[wire.MediaItem]{wire.Encoded[wire.MediaItem](`{"id":12,"fileName":"harbour.jpg","fullUrl":"https://cms.example.org/files/5472fae2-dc99-423d-a6d8-4d845a1e363d/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/harbour.jpg",` +
			`"thumbUrl":null,"thumbWebpUrl":null,"fullWebpUrl":null,"caption":"The harbour at noon","tags":["harbour"],"size":482113,"width":3000,"height":2000,` +
			`"alt":"Fishing boats in a harbour, the sun low behind them","focalPoint":null,"color":"#5a7d9b","mimeType":"image/jpeg",` +
			`"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","createdAt":"2026-01-02T15:04:05.000Z","folder":"Press/2026"}`)},
	}
	storyChanges = []wire.Change{
		{Path: "title", Change: core.ChangeEdited, Fields: []wire.ValueChange{{Path: "title", Before: wire.ValueOrNull(`"Ceasefire announced"`), After: wire.ValueOrNull(`"Ceasefire holds"`)}}},
		{Path: "body", Key: "k1", Type: "hero", Change: core.ChangeMoved, From: new(2), To: new(0), Fields: []wire.ValueChange{
			{Path: "body[k1].title", Before: wire.ValueOrNull(`"Harbour"`), After: wire.ValueOrNull(`"Harbour lights"`)},
		}},
		{Path: "body", Key: "k7", Type: "quote", Change: core.ChangeAdded, To: new(1), Fields: []wire.ValueChange{{Path: "body[k7].text", After: wire.ValueOrNull(`"It holds."`)}}},
		{Path: core.MediaMember, Key: "12", Change: core.ChangeEdited, Fields: []wire.ValueChange{
			{Path: core.MediaMember + "[12].caption", Before: wire.ValueOrNull(`"The harbour at dawn"`), After: wire.ValueOrNull(`"The harbour at noon"`)},
		}},
	}
	storyAudit = audited(storyPublished)
)

// storyLine is one action of the story.
type storyLine struct {
	action  review.ActionType
	step    int
	actor   core.ActorRef
	comment string
}

// storyRequest returns the request with these actions at the step; 0 means no step.
func storyRequest(status review.RequestStatus, step int, lines ...storyLine) wire.ApprovalRequest {
	r := wire.ApprovalRequest{
		ID: 9, ReleaseNumber: "CR-2026-0001", Status: status, Title: new("Ceasefire holds"), Kind: "entry", EntryID: new(int64(42)), CollectionID: new(int64(2)), ProjectID: 1, Locale: new("en"),
		Steps: newsroomWorkflow.Steps, AllowSelfApproval: true, ContentHash: storyHash, SubmittedBy: emil, Contributors: []core.ActorRef{emil}, SubmittedAt: storyTime,
		Snapshot: wire.Encoded[wire.Snapshot](storySnapshot), ContentChanged: wire.Encoded[bool]("false"), CanAct: new(false), CanActOn: []int{}, CurrentSteps: []approval.WorkflowStep{}, CanReschedule: new(false), CanPublishNow: new(false), Deciders: []wire.StepDeciders{},
	}
	if step > 0 {
		r.CurrentStep.WorkflowStep, r.CanAct, r.CanActOn = &newsroomWorkflow.Steps[step-1], new(true), []int{step}
		r.CurrentSteps = newsroomWorkflow.Steps[step-1 : step]
		for _, s := range newsroomWorkflow.Steps[step-1:] {
			r.Deciders = append(r.Deciders, wire.StepDeciders{StepID: s.StepID, StepOrder: s.StepOrder, UserIDs: []int64{4, 5}})
		}
	}
	if status == review.RequestPublished {
		r.PublishedAt = new("2026-03-02T11:45:00.000Z")
	}
	for i, line := range lines {
		shown := approval.Action{
			ID: int64(31 + i), Type: line.action, Actor: line.actor, Comment: core.NullIfZero(line.comment), ContentHash: storyHash, DraftHash: &storyHash, CreatedAt: storyTime,
			Hash: digest(storySnapshot + string(line.action)),
		}
		if line.step > 0 {
			shown.StepOrder = &line.step
		}
		if line.action == review.ActionReschedule {
			shown.ScheduledPublishAt, shown.ScheduledUnpublishAt = storyDue, storyEnd
		}
		r.Actions = append(r.Actions, shown)
	}
	return r
}

// scheduled returns r with the times of its publication and of the end.
func scheduled(r wire.ApprovalRequest) wire.ApprovalRequest {
	r.ScheduledPublishAt, r.ScheduledUnpublishAt = new(storyDue), new(storyEnd)
	return r
}

// listed returns r as lists contain it, without the snapshot.
func listed(r wire.ApprovalRequest) wire.ApprovalRequest {
	r.Snapshot = nil
	return r
}

// ofRelease returns r, a request of the story, as if it published a release.
func ofRelease(r wire.ApprovalRequest) wire.ApprovalRequest {
	r.Kind, r.ReleaseID, r.ReleaseName, r.Title = "release", &storyRelease.ID, &storyRelease.Name, &storyRelease.Name
	r.EntryID, r.CollectionID, r.Locale, r.Snapshot, r.ContentChanged = nil, nil, nil, nil, wire.Encoded[bool]("null")
	r.ScheduledUnpublishAt = nil
	r.Actions = slices.Clone(r.Actions)
	for i := range r.Actions {
		r.Actions[i].DraftHash, r.Actions[i].ScheduledUnpublishAt = nil, ""
	}
	return r
}

// recordedSteps returns steps as a record of format 2 has them.
func recordedSteps(steps []approval.WorkflowStep) []approval.WorkflowStep {
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].StepID, steps[i].Approvals, steps[i].RemindAfter = 0, 0, 0
	}
	return steps
}

// audited returns the audit record of r, which must be published.
func audited(r wire.ApprovalRequest) wire.ApprovalAudit {
	state := review.Outcome{Status: r.Status, StepIndex: new(2), Approvers: []int64{paul.ID, leila.ID, dina.ID}, PublishedAt: *r.PublishedAt, Version: 4}
	record := wire.AuditRecord{
		Valid: true, SnapshotValid: true, State: state, Faults: []wire.AuditFault{},
		Terms: approval.AuditTerms{
			Format: 2, TenantID: 1, ProjectID: r.ProjectID, CollectionID: r.CollectionID, EntryID: r.EntryID, Locale: r.Locale, RequestID: r.ID,
			ReleaseNumber: r.ReleaseNumber, Steps: recordedSteps(r.Steps), AllowSelfApproval: true, ContentHash: r.ContentHash, SubmittedBy: r.SubmittedBy, SubmittedAt: r.SubmittedAt,
			Contributors: r.Contributors,
		},
	}
	record.ChainHash = canonicalDigest(record.Terms)
	for i, action := range r.Actions {
		outcome := state
		if step := min(i, 2); i < 3 {
			outcome = review.Outcome{Status: review.RequestPending, StepIndex: new(step), Approvers: state.Approvers[:step], Version: int64(i + 1)}
		} else {
			action.CreatedAt = *r.PublishedAt
		}
		id := action.ID
		action.ID, action.Hash = 0, ""
		audited := approval.AuditedAction{Action: action, PreviousHash: record.ChainHash, Outcome: outcome}
		record.ChainHash = canonicalDigest(audited)
		audited.ID, audited.Hash = id, record.ChainHash
		record.Actions = append(record.Actions, audited)
	}
	return wire.ApprovalAudit{RequestID: r.ID, ReleaseNumber: r.ReleaseNumber, ContentHash: r.ContentHash, AuditRecord: record}
}

// canonicalDigest returns the hash of the canonical JSON of v.
func canonicalDigest(v any) string {
	raw, err := json.Marshal(v)
	if err == nil {
		raw, err = canonical.Transform(raw)
	}
	if err != nil {
		panic("rest: an example is no JSON: " + err.Error())
	}
	return digest(string(raw))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
