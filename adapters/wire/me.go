package wire

import (
	"cmp"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/notice"
)

// UserSession is one sign-in of the caller.
type UserSession struct {
	ID        int64  `json:"id" doc:"The id of the session, which is not the secret in the cookie." example:"17"`
	CreatedAt string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ExpiresAt string `json:"expiresAt" format:"date-time" example:"2026-01-03T03:04:05.000Z"`
	// LastUsedAt is at least CreatedAt.
	LastUsedAt string `json:"lastUsedAt" format:"date-time" doc:"The last request of the session, up to five minutes behind." example:"2026-01-02T17:04:05.000Z"`
	Address    string `json:"address" doc:"The IP address that signed in; empty for sessions from before it was recorded." example:"192.0.2.44"`
	UserAgent  string `json:"userAgent" doc:"The program that signed in, at most 200 bytes of its User-Agent." example:"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"`
	Current    bool   `json:"current" doc:"Whether this request belongs to the session." example:"true"`
}

// UserSessionOf returns s for a response. current is the hash of the session of the request.
func UserSessionOf(s account.Session, current [32]byte) UserSession {
	used := s.LastUsedAt
	if used.Before(s.CreatedAt) {
		used = s.CreatedAt
	}
	return UserSession{s.ID, core.FormatTime(s.CreatedAt), core.FormatTime(s.ExpiresAt), core.FormatTime(used), s.Address, s.UserAgent, s.Hash == current}
}

// Settings are the caller's settings of the dashboard.
type Settings struct {
	Language OrNull[Language] `json:"language" doc:"null means that of the browser."`
	TimeZone *string          `json:"timeZone" doc:"IANA name; null means that of the browser." example:"Europe/Berlin"`
	Theme    string           `json:"theme" enum:"system,light,dark" example:"dark"`
	Notices  NoticeMails      `json:"notices" doc:"Whether the caller wants e-mails, by the kind of notices. The session says whether the installation sends any."`
	Reach    string           `json:"reach" enum:"own,above" doc:"above: notices also for steps that the caller could act on by a higher role." example:"own"`
}

// NoticeMails says for each kind of notices whether a user gets e-mails.
type NoticeMails map[string]string

// Schema implements huma.SchemaProvider.
func (NoticeMails) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{}, Examples: []any{map[string]any{"approved": "never"}}}
	for _, kind := range notice.Kinds() {
		s.Properties[string(kind)] = &huma.Schema{Type: huma.TypeString, Enum: []any{"now", "never"}, Examples: []any{"now"}}
	}
	return s
}

// SettingsOf returns s for a response.
func SettingsOf(s core.Settings) Settings {
	shown := Settings{TimeZone: core.NullIfZero(s.TimeZone), Theme: cmp.Or(s.Theme, "system"), Notices: NoticeMails{}, Reach: "own"}
	for _, kind := range notice.Kinds() {
		shown.Notices[string(kind)] = "never"
		if notice.Mails(s, kind) {
			shown.Notices[string(kind)] = "now"
		}
	}
	if s.ReachAbove {
		shown.Reach = "above"
	}
	if s.Language != "" {
		shown.Language.Value = new(Language(s.Language))
	}
	return shown
}

// SettingsChange changes the settings that a body contains.
type SettingsChange struct {
	Language Optional[Language] `json:"language,omitempty" doc:"null means that of the browser." example:"de"`
	TimeZone Optional[string]   `json:"timeZone,omitempty" doc:"IANA name; null means that of the browser." example:"Europe/Berlin"`
	Theme    *string            `json:"theme,omitempty" enum:"system,light,dark" example:"dark"`
	Notices  NoticeMails        `json:"notices,omitempty" doc:"Changes the kinds that it contains."`
	Reach    *string            `json:"reach,omitempty" enum:"own,above" example:"above"`
}

// Change returns change for the use case.
func (change SettingsChange) Change() access.SettingsChange {
	made := access.SettingsChange{TimeZone: change.TimeZone.Optional, Theme: change.Theme, Reach: change.Reach, Notices: change.Notices}
	made.Language.Given = change.Language.Given
	if change.Language.Value != nil {
		made.Language.Value = new(string(*change.Language.Value))
	}
	return made
}

// Language is the tag of a language of the dashboard.
type Language string

// Schema implements huma.SchemaProvider.
func (Language) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"en", "de"}, Examples: []any{"de"}}
}
