package wire

import (
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/assistant"
	"imprimatur/core/writing"
)

// Assistant is a program that drafts and proposes content for a user.
type Assistant struct {
	ID        int64   `json:"id" example:"3"`
	Name      string  `json:"name" example:"Claude"`
	Hint      string  `json:"hint" doc:"The last characters of the token." example:"x7Qb"`
	Projects  []int64 `json:"projects" nullable:"false" doc:"The ids of the projects that it may use." example:"[1]"`
	Drafts    bool    `json:"drafts" doc:"Whether it reads and writes drafts, submits for review and comments, not only reads what is public." example:"true"`
	CreatedAt string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ExpiresAt string  `json:"expiresAt" format:"date-time" example:"2026-02-01T15:04:05.000Z"`
}

// NewAssistant is an assistant with its secret.
type NewAssistant struct {
	Assistant

	Secret string `json:"secret" doc:"The bearer token. Only this response contains it." example:"ima_0000000000000000000000000000000000000000000_000000"`
}

// AssistantInput describes a new assistant.
type AssistantInput struct {
	Name      string  `json:"name" doc:"At most 60 characters. Records show it beside the name of the user." example:"Claude"`
	Projects  []int64 `json:"projects" nullable:"false" minItems:"1" maxItems:"100" doc:"The ids of the projects that it may use. The caller needs a role in each, and their tenants must admit assistants." example:"[1]"`
	ExpiresIn int     `json:"expiresIn" minimum:"1" maximum:"90" doc:"For how many days its token is valid." example:"30"`
	Drafts    bool    `json:"drafts,omitempty" doc:"Whether it reads and writes drafts, submits for review and comments, not only reads what is public." example:"true"`
}

// Input returns the input of the use case.
func (in AssistantInput) Input() access.AssistantInput {
	return access.AssistantInput{Name: in.Name, ProjectIDs: in.Projects, ExpiresIn: in.ExpiresIn, Drafts: in.Drafts}
}

// AssistantOf shows an assistant.
func AssistantOf(a core.Assistant) Assistant {
	return Assistant{a.ID, a.Name, a.Hint, a.ProjectIDs, a.Drafts, core.FormatTime(a.CreatedAt), core.FormatTime(a.ExpiresAt)}
}

// AssistantRun is what an assistant did in a Project without a pause of 30 minutes.
type AssistantRun struct {
	ID       int64            `json:"id" example:"1207"`
	By       core.ActorRef    `json:"by"`
	From     string           `json:"from" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	To       string           `json:"to" format:"date-time" example:"2026-01-02T15:19:40.000Z"`
	Drafts   []AssistantDraft `json:"drafts" nullable:"false" doc:"The first 100 drafts that it created or changed."`
	Created  int              `json:"created" doc:"How many entries it created." example:"1"`
	Changed  int              `json:"changed" doc:"How many other drafts it changed." example:"0"`
	Releases int              `json:"releases" doc:"How many releases it opened." example:"0"`
	Requests int              `json:"requests" doc:"How many entries and releases it submitted for review." example:"0"`
	Comments int              `json:"comments" doc:"How many comments it added." example:"0"`
}

// AssistantDraft is a draft that an assistant created or changed.
type AssistantDraft struct {
	EntryID    int64  `json:"entryId" example:"42"`
	Collection string `json:"collection" doc:"The slug at that time." example:"articles"`
	Locale     string `json:"locale" example:"en"`
	Created    bool   `json:"created" doc:"Whether the run created the entry." example:"true"`
}

// maxRunDrafts is the number of drafts of a run in a list.
const maxRunDrafts = 100

// AssistantRunOf shows a run.
func AssistantRunOf(r assistant.Run) AssistantRun {
	shown := AssistantRun{
		ID: r.ID, By: r.By, From: core.FormatTime(r.From), To: core.FormatTime(r.To), Drafts: []AssistantDraft{},
		Releases: r.Counts.Releases, Requests: r.Counts.Requests, Comments: r.Counts.Comments,
	}
	for _, d := range r.Drafts {
		if d.Created {
			shown.Created++
		}
		if len(shown.Drafts) < maxRunDrafts {
			shown.Drafts = append(shown.Drafts, AssistantDraft(d))
		}
	}
	shown.Changed = len(r.Drafts) - shown.Created
	return shown
}

// UndoneRun is what the undoing of a run did with its drafts.
type UndoneRun struct {
	Restored int         `json:"restored" doc:"How many drafts have the content of before the run." example:"3"`
	Trashed  int         `json:"trashed" doc:"How many entries that the run created are in the trash." example:"20"`
	Kept     []KeptDraft `json:"kept" nullable:"false" doc:"The drafts that stay as they are."`
}

// KeptDraft is a draft of a run that stays as it is.
type KeptDraft struct {
	EntryID    int64  `json:"entryId" example:"42"`
	Collection string `json:"collection" doc:"The slug at that time." example:"articles"`
	Locale     string `json:"locale" example:"en"`
	Reason     string `json:"reason" enum:"gone,changed_since,in_review,published,pruned,invalid" doc:"Why." example:"changed_since"`
}

// UndoneRunOf shows what became of the drafts of a run.
func UndoneRunOf(drafts []writing.UndoneDraft) UndoneRun {
	shown := UndoneRun{Kept: []KeptDraft{}}
	for _, d := range drafts {
		switch {
		case d.Kept != "":
			shown.Kept = append(shown.Kept, KeptDraft{d.EntryID, d.Collection, d.Locale, d.Kept})
		case d.Trashed:
			shown.Trashed++
		default:
			shown.Restored++
		}
	}
	return shown
}
