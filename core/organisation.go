package core

import (
	"slices"
	"strings"
	"time"
)

// Tenant is an organisation: the widest scope of a role.
type Tenant struct {
	ID   int64
	Name string
	// NeutralMail keeps what mails are about out of them: they only say that something happened.
	NeutralMail bool
	// SecondFactorFrom is the time from which on members and accounts of the Tenant need a second
	// factor. Zero: none is needed.
	SecondFactorFrom time.Time
	// Assistants allows assistants in the Projects of the Tenant.
	Assistants bool
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Department is a group of Projects of a Tenant. They share an approval workflow, unless a
// Project has its own.
type Department struct {
	ID        int64
	TenantID  int64
	Name      string
	CreatedAt time.Time
	UpdatedAt time.Time

	HasWorkflow bool // read only: WorkflowStore sets and removes workflows
}

// CustomRole is a named approver role of one Department.
type CustomRole struct {
	ID           int64
	TenantID     int64
	DepartmentID int64
	Name         string
	CreatedAt    time.Time
}

// Limits of a Project.
const (
	MaxLocales         = 60 // each has a bit in Row.Serves, and three are free for changes
	DefaultUploadLimit = 20_000_000
)

// Project owns collections, entries and media. It always has a Tenant and may
// have no Department.
type Project struct {
	ID           int64
	UUID         string // RFC 9562 text form, lower case
	TenantID     int64
	DepartmentID int64 // 0: none
	Name         string
	// DefaultLocale is one of Locales.
	DefaultLocale string
	// Locales are in the order in which they were added. The index stores the position of a
	// locale, so locales are only appended, never removed or moved.
	Locales []string
	// Fallbacks has, for each locale, the locales to try after it. A locale that is not a key
	// falls back to its parents: the tag without its last subtag, and so on. The default locale
	// always comes last.
	Fallbacks map[string][]string
	// Index says which of the fallbacks count: a change counts when the index of entries holds it.
	Index       LocaleIndex
	UploadLimit int64 // bytes
	// AllowedOrigins are the origins of the pages from which browsers may call the content API,
	// like "https://www.example.com". access.AnyOrigin allows all origins.
	AllowedOrigins []string
	// PreviewURL is the address of an entry's page on the website, with placeholders such as {id}
	// and {slug}; see the API document for all. "": none.
	PreviewURL string
	// PreviewOrigins are the origins of the sites that the dashboard may frame to show a preview, like
	// "https://www.example.com". Collection.PreviewURL begins with one of them.
	PreviewOrigins []string
	// RevisionLimit is the number of revisions that an entry keeps, not counting those that a
	// request or a publication refers to. 0: all.
	RevisionLimit int64
	// PublicationDays is the number of days for which publications are kept after their end, at
	// least a year, and with them the media that they name. The newest publication of an entry
	// is kept as long as the entry. 0: all, for ever.
	PublicationDays int64
	// KeepLocation stores pictures as they are uploaded. Otherwise their metadata that says where
	// they were taken is removed; see ports.Imager.
	KeepLocation bool
	// SharedCache is the number of seconds for which shared caches may keep reads of published entries,
	// at most access.MaxSharedCache. 0: they may not.
	SharedCache int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// LocaleNumber returns the position of locale among the Project's locales, or -1.
func (p *Project) LocaleNumber(locale string) int {
	return slices.Index(p.Locales, locale)
}

// LocaleNamed returns the Project's locale with that tag, compared case-insensitively, or "".
func (p *Project) LocaleNamed(tag string) string {
	for _, l := range p.Locales {
		if strings.EqualFold(l, tag) {
			return l
		}
	}
	return ""
}

// ResolveLocale returns the Project's locale for tag, compared case-insensitively: the locale
// with that tag, or else with the longest prefix of its subtags. It returns false if the
// Project has no such locale.
func (p *Project) ResolveLocale(tag string) (string, bool) {
	for tag != "" {
		if l := p.LocaleNamed(tag); l != "" {
			return l, true
		}
		tag = parentLocale(tag)
	}
	return "", false
}

// DefinedChain returns the locales in which content for locale is looked up by the settings, in this
// order and without duplicates. The first is locale itself. Reads use FallbackChain.
func (p *Project) DefinedChain(locale string) []string {
	chain := []string{locale}
	add := func(l string) {
		if p.LocaleNumber(l) >= 0 && !slices.Contains(chain, l) {
			chain = append(chain, l)
		}
	}
	if named, ok := p.Fallbacks[locale]; ok {
		for _, l := range named {
			add(l)
		}
	} else {
		for l := parentLocale(locale); l != ""; l = parentLocale(l) {
			add(l)
		}
	}
	add(p.DefaultLocale)
	return chain
}

func parentLocale(tag string) string {
	i := strings.LastIndexByte(tag, '-')
	if i < 0 {
		return ""
	}
	return tag[:i]
}
