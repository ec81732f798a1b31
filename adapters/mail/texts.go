package mail

import (
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// texts are the texts of mails in one language. {title} stands for the title, {who} for the name of who
// acted.
type texts struct {
	language               string
	project, release, step string
	by, at, timeFormat     string // of changes of accounts
	comment                string // a comment without a known author
	why                    string // what the program says
	saysFormat             string // of the author
	reason, change         string
	neutralLead            string
	openReview, openEntry  string
	openWebhook            string
	openAccount            string
	untitled               string

	subjects map[notice.Kind]string
	neutrals map[notice.Kind]string // subjects without a title
	// leads say what happened.
	leads map[notice.Kind]string
	// systemLeads are those without a person who acted.
	systemLeads map[notice.Kind]string
	accounts    map[event.Type]string
	// accountsBy are the leads if another person has acted, accountSubjects the subjects.
	accountsBy, accountSubjects map[event.Type]string

	// roles name a role with its {place}; "" has the custom ones, with the {role}.
	roles map[core.Role]string
	// roleLeads, roleLeadsBy and roleSubjects are those of accounts if the {role} is known.
	roleLeads, roleLeadsBy, roleSubjects map[event.Type]string

	// delegationEnded is the lead of a delegation that was ended, from {title} to {place}.
	delegationEnded string

	reminder [3]string // subject, neutral subject and lead of a reminder
	gone     string    // leads of webhooks that the receiver ended
}

// textsOf returns the texts in a language, English for those without texts.
func textsOf(language string) *texts {
	if language == "de" {
		return &german
	}
	return &english
}

func filled(text, title, who string) string {
	return strings.NewReplacer("{title}", title, "{who}", who).Replace(text)
}

// heading returns the heading of the comment of m. One that was resolved need not be by who resolved it.
func (t *texts) heading(m ports.MailMessage, actor string) string {
	switch {
	case m.Kind == notice.Unreachable || m.Kind == notice.ReleaseFailed:
		return t.why
	case actor == "" || m.Kind == notice.Resolved:
		return t.comment
	default:
		return filled(t.saysFormat, "", actor)
	}
}

func (t *texts) action(m ports.MailMessage) string {
	switch {
	case m.Kind == notice.WebhookOff:
		return t.openWebhook
	case m.Kind == notice.Account || m.Kind == notice.Delegation:
		return t.openAccount
	case aboutRequest(m):
		return t.openReview
	default:
		return t.openEntry
	}
}

func (t *texts) neutral(m ports.MailMessage) string {
	if m.Reminder {
		return t.reminder[1]
	}
	return t.neutrals[m.Kind]
}

// role returns the role that m is about, with its place; "" if it is about none.
func (t *texts) role(m ports.MailMessage, place string) string {
	if m.Role == "" {
		return ""
	}
	format, known := t.roles[core.Role(m.Role)]
	if !known || m.Event == event.RoleGiven || m.Event == event.RoleTaken {
		format = t.roles[""]
	}
	return strings.NewReplacer("{role}", oneLine(m.Role, longestName), "{place}", place).Replace(format)
}

func (t *texts) subject(m ports.MailMessage, title string) string {
	if title == "" {
		title = t.untitled
	}
	role := t.role(m, oneLine(m.Place, longestName))
	switch {
	case role != "":
		return strings.ReplaceAll(t.roleSubjects[m.Event], "{role}", role)
	case m.Kind == notice.Account && t.accountSubjects[m.Event] != "":
		return t.accountSubjects[m.Event]
	case m.Kind == notice.Account:
		return t.neutrals[m.Kind]
	case m.Reminder:
		return filled(t.reminder[0], title, "")
	default:
		return filled(t.subjects[m.Kind], title, "")
	}
}

func (t *texts) lead(m ports.MailMessage, title, actor string) string {
	if title == "" {
		title = t.untitled
	}
	format := t.leads[m.Kind]
	role := t.role(m, isolated(oneLine(m.Place, longestName)))
	switch {
	case role != "" && actor != "":
		return strings.NewReplacer("{who}", actor, "{role}", role).Replace(t.roleLeadsBy[m.Event])
	case role != "":
		return strings.ReplaceAll(t.roleLeads[m.Event], "{role}", role)
	case m.Kind == notice.Account && actor != "" && t.accountsBy[m.Event] != "":
		format = t.accountsBy[m.Event]
	case m.Kind == notice.Account:
		return t.accounts[m.Event]
	case m.Reminder:
		format = t.reminder[2]
	case m.Kind == notice.WebhookOff && m.OffReason == webhook.OffGone:
		format = t.gone
	case m.Kind == notice.Delegation && m.Event == event.DelegationEnded:
		format = t.delegationEnded
	case actor == "" && t.systemLeads[m.Kind] != "":
		format = t.systemLeads[m.Kind]
	}
	return strings.NewReplacer("{title}", title, "{who}", actor, "{place}", isolated(oneLine(m.Place, longestName))).Replace(format)
}

var english = texts{
	language: "en", project: "Project", release: "Release", step: "Step", by: "By", at: "When", timeFormat: "2 January 2006, 15:04 MST",
	comment: "Comment", why: "Why", saysFormat: "{who} says", reason: "Imprimatur sends you this because it concerns you.", change: "Choose what you get by e-mail",
	neutralLead: "Open Imprimatur to see more.",
	openReview:  "Open the review", openEntry: "Open the entry", openWebhook: "Open the webhooks", openAccount: "Open your account", untitled: "Untitled",
	subjects: map[notice.Kind]string{
		notice.YourTurn: "Your review: {title}", notice.Rejected: "Rejected: {title}", notice.RevisionRequested: "Revision requested: {title}",
		notice.Approved: "Approved: {title}", notice.Published: "Published: {title}", notice.Withdrawn: "Withdrawn: {title}",
		notice.Unpublished: "Taken offline: {title}", notice.Unreachable: "Nobody can decide: {title}",
		notice.PublicationFailed: "Publication failed: {title}", notice.ReleaseFailed: "Release failed: {title}",
		notice.Comment: "Comment: {title}", notice.Mention: "You are named: {title}", notice.Resolved: "Comment resolved: {title}",
		notice.Delegation: "Decisions on behalf of {title}", notice.Overdue: "Overdue: {title}",
		notice.WebhookOff: "Webhook switched off: {title}",
	},
	neutrals: map[notice.Kind]string{
		notice.YourTurn: "A request waits for your review", notice.Rejected: "A request was rejected",
		notice.RevisionRequested: "A revision was requested", notice.Approved: "A request was approved", notice.Published: "A request was published",
		notice.Withdrawn: "A request was withdrawn", notice.Unpublished: "An entry is offline",
		notice.Unreachable: "A request waits for a step that nobody can decide", notice.PublicationFailed: "A publication failed",
		notice.ReleaseFailed: "A release was not published at its time",
		notice.Comment:       "There is a comment on a request", notice.Mention: "A comment on a request names you",
		notice.Resolved:   "A comment on a request was resolved",
		notice.Delegation: "A delegation of decisions has changed",
		notice.Overdue:    "A request is not approved at its time",
		notice.WebhookOff: "A webhook was switched off", notice.Account: "Your account has changed",
	},
	leads: map[notice.Kind]string{
		notice.YourTurn: "“{title}” waits for your review.", notice.Rejected: "{who} rejected “{title}”.",
		notice.RevisionRequested: "{who} requested a revision of “{title}”.", notice.Approved: "{who} approved “{title}”.",
		notice.Published: "“{title}” is published.", notice.Withdrawn: "{who} withdrew “{title}” from review.",
		notice.Unreachable:       "“{title}” waits for a step that nobody can decide at present.",
		notice.Unpublished:       "{who} has taken “{title}” offline.",
		notice.PublicationFailed: "The scheduled publication of “{title}”, or its end, failed. It will be tried again; the entry shows why.",
		notice.ReleaseFailed:     "The release “{title}” was not published at its time.",
		notice.Comment:           "{who} commented on “{title}”.", notice.Mention: "{who} named you in a comment on “{title}”.",
		notice.Resolved:   "{who} resolved a comment on “{title}”.",
		notice.Overdue:    "“{title}” was to be published by now, and is not approved yet.",
		notice.Delegation: "{place} may decide reviews on behalf of {title}, as long as the delegation holds.",
		notice.WebhookOff: "The webhook “{title}” was switched off, because no message has reached it for three days.",
	},
	systemLeads: map[notice.Kind]string{
		notice.Rejected: "“{title}” was rejected.", notice.RevisionRequested: "A revision of “{title}” was requested.",
		notice.Approved: "“{title}” was approved.", notice.Withdrawn: "“{title}” was withdrawn from review.",
		notice.Unpublished: "“{title}” is offline.",
	},
	accounts: map[event.Type]string{
		event.UserUpdated:     "An administrator has changed your account.",
		event.EmailChanged:    "The e-mail address of your account was changed to this one.",
		event.PasswordChanged: "The password of your account was changed. If it was not you, tell an administrator at once.",
		event.UserLinked:      "Your account was connected to an identity provider. Its sessions have ended; tokens stay. If it was not you, tell an administrator at once.",
		event.UserUnlinked:    "Your account is no longer connected to an identity provider. If it was not you, tell an administrator at once.",
		event.FactorAdded:     "A second factor was added to your account. If it was not you, tell an administrator at once.",
		event.FactorRemoved:   "A second factor was removed from your account. If it was not you, tell an administrator at once.",
		event.FactorUsedBack:  "A passkey of your account was refused, because it may be a copy. Remove it, and tell an administrator.",
		event.RecoveryRenewed: "New recovery codes were made for your account. If it was not you, tell an administrator at once.",
		event.RecoveryUsed:    "A recovery code of your account was used. If it was not you, tell an administrator at once.", event.MemberUpdated: "You have been given a role.",
		event.MemberKept:    "No group at your identity provider makes you an admin of the organisation any more. You stay one, because it has no other. Name another admin.",
		event.DomainLost:    "The record of a domain of your identity provider was missing for 7 days. The domain is no longer claimed, and the provider is off. Claim it again on its page.",
		event.MemberRemoved: "A role has been taken from you.", event.RoleGiven: "You have been given a role for reviews.",
		event.RoleTaken: "A role for reviews has been taken from you.",
	},
	accountsBy: map[event.Type]string{
		event.UserUpdated:     "{who} has changed your account.",
		event.EmailChanged:    "{who} has changed the e-mail address of your account to this one.",
		event.PasswordChanged: "{who} has set a new password for your account. If you did not expect it, tell an administrator at once.",
		event.FactorRemoved:   "{who} has removed a second factor from your account. If you did not ask for it, tell an administrator at once.",
		event.MemberUpdated:   "{who} has given you a role.", event.MemberRemoved: "{who} has taken a role from you.",
		event.RoleGiven: "{who} has given you a role for reviews.", event.RoleTaken: "{who} has taken a role for reviews from you.",
	},
	accountSubjects: map[event.Type]string{
		event.EmailChanged: "Your e-mail address was changed", event.PasswordChanged: "Your password was changed",
		event.UserLinked: "Your account was connected to an identity provider", event.UserUnlinked: "Your account is no longer connected to an identity provider",
		event.FactorAdded: "A second factor was added to your account", event.FactorRemoved: "A second factor was removed from your account",
		event.FactorUsedBack: "A passkey of your account was refused", event.RecoveryRenewed: "You have new recovery codes",
		event.RecoveryUsed: "A recovery code of your account was used", event.MemberUpdated: "You have been given a role",
		event.MemberKept:    "You stay the last admin of your organisation",
		event.DomainLost:    "An identity provider has lost a domain",
		event.MemberRemoved: "A role was taken from you", event.RoleGiven: "You have been given a role for reviews",
		event.RoleTaken: "A role for reviews was taken from you", event.UserUpdated: "Your account was changed",
	},
	roles: map[core.Role]string{
		core.RoleTenantAdmin: "Admin of the organisation {place}", core.RoleDepartmentAdmin: "Admin of the department {place}",
		core.RoleAdmin: "Admin of the project {place}", core.RoleEditor: "Editor of the project {place}",
		core.RoleViewer: "Viewer of the project {place}", "": "“{role}” of the department {place}",
	},
	roleLeads: map[event.Type]string{
		event.MemberUpdated: "You are now {role}.", event.MemberRemoved: "You are no longer {role}.",
		event.RoleGiven: "You have been given the role {role}.", event.RoleTaken: "The role {role} has been taken from you.",
	},
	roleLeadsBy: map[event.Type]string{
		event.MemberUpdated: "{who} made you {role}.", event.MemberRemoved: "{who} took a role from you: {role}.",
		event.RoleGiven: "{who} gave you the role {role}.", event.RoleTaken: "{who} took the role {role} from you.",
	},
	roleSubjects: map[event.Type]string{
		event.MemberUpdated: "You are now {role}", event.MemberRemoved: "You are no longer {role}",
		event.RoleGiven: "Your new role: {role}", event.RoleTaken: "No longer your role: {role}",
	},
	delegationEnded: "{place} may no longer decide reviews on behalf of {title}.",
	reminder:        [3]string{"Reminder – your review: {title}", "Reminder: a request waits for your review", "“{title}” still waits for your review."},
	gone:            "The webhook “{title}” was switched off, because its receiver says that it is gone for good (410).",
}

var german = texts{
	language: "de", project: "Projekt", release: "Freigabe", step: "Schritt", by: "Von", at: "Wann", timeFormat: "02.01.2006, 15:04 MST",
	comment: "Kommentar", why: "Warum", saysFormat: "{who} schreibt", reason: "Imprimatur sendet Ihnen dies, weil es Sie betrifft.", change: "Auswählen, was Sie per E-Mail erhalten",
	neutralLead: "Mehr sehen Sie in Imprimatur.",
	openReview:  "Freigabe öffnen", openEntry: "Eintrag öffnen", openWebhook: "Webhooks öffnen", openAccount: "Konto öffnen", untitled: "Ohne Titel",
	subjects: map[notice.Kind]string{
		notice.YourTurn: "Ihre Freigabe: {title}", notice.Rejected: "Abgelehnt: {title}", notice.RevisionRequested: "Überarbeitung angefordert: {title}",
		notice.Approved: "Freigegeben: {title}", notice.Published: "Veröffentlicht: {title}", notice.Withdrawn: "Zurückgezogen: {title}",
		notice.Unpublished: "Offline: {title}", notice.Unreachable: "Niemand kann entscheiden: {title}",
		notice.PublicationFailed: "Veröffentlichung fehlgeschlagen: {title}", notice.ReleaseFailed: "Release gescheitert: {title}",
		notice.Comment: "Kommentar: {title}", notice.Mention: "Sie werden genannt: {title}", notice.Resolved: "Kommentar erledigt: {title}",
		notice.Delegation: "Vertretung von {title}", notice.Overdue: "Überfällig: {title}",
		notice.WebhookOff: "Webhook abgeschaltet: {title}",
	},
	neutrals: map[notice.Kind]string{
		notice.YourTurn: "Ein Antrag wartet auf Ihre Freigabe", notice.Rejected: "Ein Antrag wurde abgelehnt",
		notice.RevisionRequested: "Eine Überarbeitung wurde angefordert", notice.Approved: "Ein Antrag wurde freigegeben", notice.Published: "Ein Antrag wurde veröffentlicht",
		notice.Withdrawn: "Ein Antrag wurde zurückgezogen", notice.Unpublished: "Ein Eintrag ist offline",
		notice.Unreachable:       "Ein Antrag wartet auf einen Schritt, den niemand entscheiden kann",
		notice.PublicationFailed: "Eine Veröffentlichung ist fehlgeschlagen",
		notice.ReleaseFailed:     "Ein Release ist nicht zu seiner Zeit erschienen",
		notice.Comment:           "Zu einem Antrag gibt es einen Kommentar", notice.Mention: "Ein Kommentar zu einem Antrag nennt Sie",
		notice.Resolved:   "Ein Kommentar zu einem Antrag ist erledigt",
		notice.Delegation: "Eine Vertretung bei Freigaben hat sich geändert",
		notice.Overdue:    "Ein Antrag ist zu seiner Zeit nicht freigegeben",
		notice.WebhookOff: "Ein Webhook wurde abgeschaltet", notice.Account: "Ihr Konto wurde geändert",
	},
	leads: map[notice.Kind]string{
		notice.YourTurn: "„{title}“ wartet auf Ihre Freigabe.", notice.Rejected: "{who} hat „{title}“ abgelehnt.",
		notice.RevisionRequested: "{who} hat für „{title}“ eine Überarbeitung angefordert.", notice.Approved: "{who} hat „{title}“ freigegeben.",
		notice.Published: "„{title}“ ist veröffentlicht.", notice.Withdrawn: "{who} hat „{title}“ aus der Freigabe zurückgezogen.",
		notice.Unreachable:       "„{title}“ wartet auf einen Schritt, den zurzeit niemand entscheiden kann.",
		notice.Unpublished:       "{who} hat „{title}“ offline genommen.",
		notice.PublicationFailed: "Die geplante Veröffentlichung von „{title}“ oder ihr Ende ist fehlgeschlagen. Es wird erneut versucht; der Eintrag zeigt, warum.",
		notice.ReleaseFailed:     "Das Release „{title}“ ist nicht zu seiner Zeit erschienen.",
		notice.Comment:           "{who} hat „{title}“ kommentiert.", notice.Mention: "{who} nennt Sie in einem Kommentar zu „{title}“.",
		notice.Resolved:   "{who} hat einen Kommentar zu „{title}“ erledigt.",
		notice.Overdue:    "„{title}“ sollte jetzt veröffentlicht sein und ist noch nicht freigegeben.",
		notice.Delegation: "{place} darf Freigaben im Namen von {title} entscheiden, solange die Vertretung gilt.",
		notice.WebhookOff: "Der Webhook „{title}“ wurde abgeschaltet, weil ihn seit drei Tagen keine Nachricht erreicht hat.",
	},
	systemLeads: map[notice.Kind]string{
		notice.Rejected: "„{title}“ wurde abgelehnt.", notice.RevisionRequested: "Für „{title}“ wurde eine Überarbeitung angefordert.",
		notice.Approved: "„{title}“ wurde freigegeben.", notice.Withdrawn: "„{title}“ wurde aus der Freigabe zurückgezogen.",
		notice.Unpublished: "„{title}“ ist offline.",
	},
	accounts: map[event.Type]string{
		event.UserUpdated:     "Ein Administrator hat Ihr Konto geändert.",
		event.EmailChanged:    "Die E-Mail-Adresse Ihres Kontos wurde auf diese geändert.",
		event.PasswordChanged: "Das Passwort Ihres Kontos wurde geändert. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.UserLinked: "Ihr Konto wurde mit einem Identitätsanbieter verbunden. Seine Sitzungen sind beendet, Tokens bleiben. " +
			"Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.UserUnlinked:    "Ihr Konto ist nicht mehr mit einem Identitätsanbieter verbunden. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.FactorAdded:     "Ihrem Konto wurde ein zweiter Faktor hinzugefügt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.FactorRemoved:   "Ein zweiter Faktor Ihres Kontos wurde entfernt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.FactorUsedBack:  "Ein Passkey Ihres Kontos wurde abgewiesen, weil er eine Kopie sein kann. Entfernen Sie ihn, und sagen Sie es der Administration.",
		event.RecoveryRenewed: "Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.RecoveryUsed:    "Ein Wiederherstellungscode Ihres Kontos wurde benutzt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		event.MemberUpdated:   "Sie haben eine Rolle erhalten.",
		event.DomainLost:      "Der Eintrag einer Domain Ihres Identitätsanbieters fehlte 7 Tage lang. Die Domain ist nicht mehr beansprucht, und der Anbieter ist abgeschaltet. Beanspruchen Sie sie auf seiner Seite neu.",
		event.MemberKept: "Keine Gruppe bei Ihrem Identitätsanbieter macht Sie mehr zur Administration der Organisation. Sie bleiben es, weil sie keine andere hat. " +
			"Geben Sie die Rolle einer weiteren Person.",
		event.MemberRemoved: "Ihnen wurde eine Rolle entzogen.", event.RoleGiven: "Sie haben eine Rolle für Freigaben erhalten.",
		event.RoleTaken: "Ihnen wurde eine Rolle für Freigaben entzogen.",
	},
	accountsBy: map[event.Type]string{
		event.UserUpdated:     "{who} hat Ihr Konto geändert.",
		event.EmailChanged:    "{who} hat die E-Mail-Adresse Ihres Kontos auf diese geändert.",
		event.PasswordChanged: "{who} hat ein neues Passwort für Ihr Konto gesetzt. Wenn Sie das nicht erwartet haben, sagen Sie es sofort der Administration.",
		event.FactorRemoved:   "{who} hat einen zweiten Faktor Ihres Kontos entfernt. Wenn Sie nicht darum gebeten haben, sagen Sie es sofort der Administration.",
		event.MemberUpdated:   "{who} hat Ihnen eine Rolle gegeben.", event.MemberRemoved: "{who} hat Ihnen eine Rolle entzogen.",
		event.RoleGiven: "{who} hat Ihnen eine Rolle für Freigaben gegeben.", event.RoleTaken: "{who} hat Ihnen eine Rolle für Freigaben entzogen.",
	},
	accountSubjects: map[event.Type]string{
		event.EmailChanged: "Ihre E-Mail-Adresse wurde geändert", event.PasswordChanged: "Ihr Passwort wurde geändert",
		event.UserLinked: "Ihr Konto wurde mit einem Identitätsanbieter verbunden", event.UserUnlinked: "Ihr Konto ist nicht mehr mit einem Identitätsanbieter verbunden",
		event.FactorAdded: "Ihrem Konto wurde ein zweiter Faktor hinzugefügt", event.FactorRemoved: "Ein zweiter Faktor Ihres Kontos wurde entfernt",
		event.FactorUsedBack: "Ein Passkey Ihres Kontos wurde abgewiesen", event.RecoveryRenewed: "Sie haben neue Wiederherstellungscodes",
		event.RecoveryUsed: "Ein Wiederherstellungscode Ihres Kontos wurde benutzt", event.MemberUpdated: "Sie haben eine Rolle erhalten",
		event.MemberKept:    "Sie bleiben die letzte Administration Ihrer Organisation",
		event.DomainLost:    "Ein Identitätsanbieter hat eine Domain verloren",
		event.MemberRemoved: "Ihnen wurde eine Rolle entzogen", event.RoleGiven: "Sie haben eine Rolle für Freigaben erhalten",
		event.RoleTaken: "Ihnen wurde eine Rolle für Freigaben entzogen", event.UserUpdated: "Ihr Konto wurde bearbeitet",
	},
	roles: map[core.Role]string{
		core.RoleTenantAdmin: "Administrator der Organisation {place}", core.RoleDepartmentAdmin: "Administrator der Abteilung {place}",
		core.RoleAdmin: "Administrator des Projekts {place}", core.RoleEditor: "Redakteur des Projekts {place}",
		core.RoleViewer: "Betrachter des Projekts {place}", "": "„{role}“ der Abteilung {place}",
	},
	roleLeads: map[event.Type]string{
		event.MemberUpdated: "Sie haben eine Rolle erhalten: {role}.", event.MemberRemoved: "Ihnen wurde eine Rolle entzogen: {role}.",
		event.RoleGiven: "Sie haben eine Rolle erhalten: {role}.", event.RoleTaken: "Ihnen wurde eine Rolle entzogen: {role}.",
	},
	roleLeadsBy: map[event.Type]string{
		event.MemberUpdated: "{who} hat Ihnen eine Rolle gegeben: {role}.", event.MemberRemoved: "{who} hat Ihnen eine Rolle entzogen: {role}.",
		event.RoleGiven: "{who} hat Ihnen eine Rolle gegeben: {role}.", event.RoleTaken: "{who} hat Ihnen eine Rolle entzogen: {role}.",
	},
	roleSubjects: map[event.Type]string{
		event.MemberUpdated: "Neue Rolle: {role}", event.MemberRemoved: "Entzogene Rolle: {role}",
		event.RoleGiven: "Neue Rolle: {role}", event.RoleTaken: "Entzogene Rolle: {role}",
	},
	delegationEnded: "{place} darf keine Freigaben mehr im Namen von {title} entscheiden.",
	reminder:        [3]string{"Erinnerung – Ihre Freigabe: {title}", "Erinnerung: Ein Antrag wartet auf Ihre Freigabe", "„{title}“ wartet noch auf Ihre Freigabe."},
	gone:            "Der Webhook „{title}“ wurde abgeschaltet, weil sein Empfänger meldet, dass es ihn nicht mehr gibt (410).",
}
