package mail

import (
	"strings"

	"imprimatur/core"
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

	subjects map[core.NoticeKind]string
	neutrals map[core.NoticeKind]string // subjects without a title
	// leads say what happened.
	leads map[core.NoticeKind]string
	// systemLeads are those without a person who acted.
	systemLeads map[core.NoticeKind]string
	accounts    map[core.EventType]string
	// accountsBy are the leads if another person has acted, accountSubjects the subjects.
	accountsBy, accountSubjects map[core.EventType]string

	// roles name a role with its {place}; "" has the custom ones, with the {role}.
	roles map[core.Role]string
	// roleLeads, roleLeadsBy and roleSubjects are those of accounts if the {role} is known.
	roleLeads, roleLeadsBy, roleSubjects map[core.EventType]string

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
	case m.Kind == core.NoticeUnreachable || m.Kind == core.NoticeReleaseFailed:
		return t.why
	case actor == "" || m.Kind == core.NoticeResolved:
		return t.comment
	default:
		return filled(t.saysFormat, "", actor)
	}
}

func (t *texts) action(m ports.MailMessage) string {
	switch {
	case m.Kind == core.NoticeWebhookOff:
		return t.openWebhook
	case m.Kind == core.NoticeAccount || m.Kind == core.NoticeDelegation:
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
	if !known || m.Event == core.EventRoleGiven || m.Event == core.EventRoleTaken {
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
	case m.Kind == core.NoticeAccount && t.accountSubjects[m.Event] != "":
		return t.accountSubjects[m.Event]
	case m.Kind == core.NoticeAccount:
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
	case m.Kind == core.NoticeAccount && actor != "" && t.accountsBy[m.Event] != "":
		format = t.accountsBy[m.Event]
	case m.Kind == core.NoticeAccount:
		return t.accounts[m.Event]
	case m.Reminder:
		format = t.reminder[2]
	case m.Kind == core.NoticeWebhookOff && m.OffReason == core.OffGone:
		format = t.gone
	case m.Kind == core.NoticeDelegation && m.Event == core.EventDelegationEnded:
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
	subjects: map[core.NoticeKind]string{
		core.NoticeYourTurn: "Your review: {title}", core.NoticeRejected: "Rejected: {title}", core.NoticeRevisionRequested: "Revision requested: {title}",
		core.NoticeApproved: "Approved: {title}", core.NoticePublished: "Published: {title}", core.NoticeWithdrawn: "Withdrawn: {title}",
		core.NoticeUnpublished: "Taken offline: {title}", core.NoticeUnreachable: "Nobody can decide: {title}",
		core.NoticePublicationFailed: "Publication failed: {title}", core.NoticeReleaseFailed: "Release failed: {title}",
		core.NoticeComment: "Comment: {title}", core.NoticeMention: "You are named: {title}", core.NoticeResolved: "Comment resolved: {title}",
		core.NoticeDelegation: "Decisions on behalf of {title}", core.NoticeOverdue: "Overdue: {title}",
		core.NoticeWebhookOff: "Webhook switched off: {title}",
	},
	neutrals: map[core.NoticeKind]string{
		core.NoticeYourTurn: "A request waits for your review", core.NoticeRejected: "A request was rejected",
		core.NoticeRevisionRequested: "A revision was requested", core.NoticeApproved: "A request was approved", core.NoticePublished: "A request was published",
		core.NoticeWithdrawn: "A request was withdrawn", core.NoticeUnpublished: "An entry is offline",
		core.NoticeUnreachable: "A request waits for a step that nobody can decide", core.NoticePublicationFailed: "A publication failed",
		core.NoticeReleaseFailed: "A release was not published at its time",
		core.NoticeComment:       "There is a comment on a request", core.NoticeMention: "A comment on a request names you",
		core.NoticeResolved:   "A comment on a request was resolved",
		core.NoticeDelegation: "A delegation of decisions has changed",
		core.NoticeOverdue:    "A request is not approved at its time",
		core.NoticeWebhookOff: "A webhook was switched off", core.NoticeAccount: "Your account has changed",
	},
	leads: map[core.NoticeKind]string{
		core.NoticeYourTurn: "“{title}” waits for your review.", core.NoticeRejected: "{who} rejected “{title}”.",
		core.NoticeRevisionRequested: "{who} requested a revision of “{title}”.", core.NoticeApproved: "{who} approved “{title}”.",
		core.NoticePublished: "“{title}” is published.", core.NoticeWithdrawn: "{who} withdrew “{title}” from review.",
		core.NoticeUnreachable:       "“{title}” waits for a step that nobody can decide at present.",
		core.NoticeUnpublished:       "{who} has taken “{title}” offline.",
		core.NoticePublicationFailed: "The scheduled publication of “{title}”, or its end, failed. It will be tried again; the entry shows why.",
		core.NoticeReleaseFailed:     "The release “{title}” was not published at its time.",
		core.NoticeComment:           "{who} commented on “{title}”.", core.NoticeMention: "{who} named you in a comment on “{title}”.",
		core.NoticeResolved:   "{who} resolved a comment on “{title}”.",
		core.NoticeOverdue:    "“{title}” was to be published by now, and is not approved yet.",
		core.NoticeDelegation: "{place} may decide reviews on behalf of {title}, as long as the delegation holds.",
		core.NoticeWebhookOff: "The webhook “{title}” was switched off, because no message has reached it for three days.",
	},
	systemLeads: map[core.NoticeKind]string{
		core.NoticeRejected: "“{title}” was rejected.", core.NoticeRevisionRequested: "A revision of “{title}” was requested.",
		core.NoticeApproved: "“{title}” was approved.", core.NoticeWithdrawn: "“{title}” was withdrawn from review.",
		core.NoticeUnpublished: "“{title}” is offline.",
	},
	accounts: map[core.EventType]string{
		core.EventUserUpdated:     "An administrator has changed your account.",
		core.EventEmailChanged:    "The e-mail address of your account was changed to this one.",
		core.EventPasswordChanged: "The password of your account was changed. If it was not you, tell an administrator at once.",
		core.EventUserLinked:      "Your account was connected to an identity provider. Its sessions have ended; tokens stay. If it was not you, tell an administrator at once.",
		core.EventUserUnlinked:    "Your account is no longer connected to an identity provider. If it was not you, tell an administrator at once.",
		core.EventFactorAdded:     "A second factor was added to your account. If it was not you, tell an administrator at once.",
		core.EventFactorRemoved:   "A second factor was removed from your account. If it was not you, tell an administrator at once.",
		core.EventFactorUsedBack:  "A passkey of your account was refused, because it may be a copy. Remove it, and tell an administrator.",
		core.EventRecoveryRenewed: "New recovery codes were made for your account. If it was not you, tell an administrator at once.",
		core.EventRecoveryUsed:    "A recovery code of your account was used. If it was not you, tell an administrator at once.", core.EventMemberUpdated: "You have been given a role.",
		core.EventMemberKept:    "No group at your identity provider makes you an admin of the organisation any more. You stay one, because it has no other. Name another admin.",
		core.EventDomainLost:    "The record of a domain of your identity provider was missing for 7 days. The domain is no longer claimed, and the provider is off. Claim it again on its page.",
		core.EventMemberRemoved: "A role has been taken from you.", core.EventRoleGiven: "You have been given a role for reviews.",
		core.EventRoleTaken: "A role for reviews has been taken from you.",
	},
	accountsBy: map[core.EventType]string{
		core.EventUserUpdated:     "{who} has changed your account.",
		core.EventEmailChanged:    "{who} has changed the e-mail address of your account to this one.",
		core.EventPasswordChanged: "{who} has set a new password for your account. If you did not expect it, tell an administrator at once.",
		core.EventFactorRemoved:   "{who} has removed a second factor from your account. If you did not ask for it, tell an administrator at once.",
		core.EventMemberUpdated:   "{who} has given you a role.", core.EventMemberRemoved: "{who} has taken a role from you.",
		core.EventRoleGiven: "{who} has given you a role for reviews.", core.EventRoleTaken: "{who} has taken a role for reviews from you.",
	},
	accountSubjects: map[core.EventType]string{
		core.EventEmailChanged: "Your e-mail address was changed", core.EventPasswordChanged: "Your password was changed",
		core.EventUserLinked: "Your account was connected to an identity provider", core.EventUserUnlinked: "Your account is no longer connected to an identity provider",
		core.EventFactorAdded: "A second factor was added to your account", core.EventFactorRemoved: "A second factor was removed from your account",
		core.EventFactorUsedBack: "A passkey of your account was refused", core.EventRecoveryRenewed: "You have new recovery codes",
		core.EventRecoveryUsed: "A recovery code of your account was used", core.EventMemberUpdated: "You have been given a role",
		core.EventMemberKept:    "You stay the last admin of your organisation",
		core.EventDomainLost:    "An identity provider has lost a domain",
		core.EventMemberRemoved: "A role was taken from you", core.EventRoleGiven: "You have been given a role for reviews",
		core.EventRoleTaken: "A role for reviews was taken from you", core.EventUserUpdated: "Your account was changed",
	},
	roles: map[core.Role]string{
		core.RoleTenantAdmin: "Admin of the organisation {place}", core.RoleDepartmentAdmin: "Admin of the department {place}",
		core.RoleAdmin: "Admin of the project {place}", core.RoleEditor: "Editor of the project {place}",
		core.RoleViewer: "Viewer of the project {place}", "": "“{role}” of the department {place}",
	},
	roleLeads: map[core.EventType]string{
		core.EventMemberUpdated: "You are now {role}.", core.EventMemberRemoved: "You are no longer {role}.",
		core.EventRoleGiven: "You have been given the role {role}.", core.EventRoleTaken: "The role {role} has been taken from you.",
	},
	roleLeadsBy: map[core.EventType]string{
		core.EventMemberUpdated: "{who} made you {role}.", core.EventMemberRemoved: "{who} took a role from you: {role}.",
		core.EventRoleGiven: "{who} gave you the role {role}.", core.EventRoleTaken: "{who} took the role {role} from you.",
	},
	roleSubjects: map[core.EventType]string{
		core.EventMemberUpdated: "You are now {role}", core.EventMemberRemoved: "You are no longer {role}",
		core.EventRoleGiven: "Your new role: {role}", core.EventRoleTaken: "No longer your role: {role}",
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
	subjects: map[core.NoticeKind]string{
		core.NoticeYourTurn: "Ihre Freigabe: {title}", core.NoticeRejected: "Abgelehnt: {title}", core.NoticeRevisionRequested: "Überarbeitung angefordert: {title}",
		core.NoticeApproved: "Freigegeben: {title}", core.NoticePublished: "Veröffentlicht: {title}", core.NoticeWithdrawn: "Zurückgezogen: {title}",
		core.NoticeUnpublished: "Offline: {title}", core.NoticeUnreachable: "Niemand kann entscheiden: {title}",
		core.NoticePublicationFailed: "Veröffentlichung fehlgeschlagen: {title}", core.NoticeReleaseFailed: "Release gescheitert: {title}",
		core.NoticeComment: "Kommentar: {title}", core.NoticeMention: "Sie werden genannt: {title}", core.NoticeResolved: "Kommentar erledigt: {title}",
		core.NoticeDelegation: "Vertretung von {title}", core.NoticeOverdue: "Überfällig: {title}",
		core.NoticeWebhookOff: "Webhook abgeschaltet: {title}",
	},
	neutrals: map[core.NoticeKind]string{
		core.NoticeYourTurn: "Ein Antrag wartet auf Ihre Freigabe", core.NoticeRejected: "Ein Antrag wurde abgelehnt",
		core.NoticeRevisionRequested: "Eine Überarbeitung wurde angefordert", core.NoticeApproved: "Ein Antrag wurde freigegeben", core.NoticePublished: "Ein Antrag wurde veröffentlicht",
		core.NoticeWithdrawn: "Ein Antrag wurde zurückgezogen", core.NoticeUnpublished: "Ein Eintrag ist offline",
		core.NoticeUnreachable:       "Ein Antrag wartet auf einen Schritt, den niemand entscheiden kann",
		core.NoticePublicationFailed: "Eine Veröffentlichung ist fehlgeschlagen",
		core.NoticeReleaseFailed:     "Ein Release ist nicht zu seiner Zeit erschienen",
		core.NoticeComment:           "Zu einem Antrag gibt es einen Kommentar", core.NoticeMention: "Ein Kommentar zu einem Antrag nennt Sie",
		core.NoticeResolved:   "Ein Kommentar zu einem Antrag ist erledigt",
		core.NoticeDelegation: "Eine Vertretung bei Freigaben hat sich geändert",
		core.NoticeOverdue:    "Ein Antrag ist zu seiner Zeit nicht freigegeben",
		core.NoticeWebhookOff: "Ein Webhook wurde abgeschaltet", core.NoticeAccount: "Ihr Konto wurde geändert",
	},
	leads: map[core.NoticeKind]string{
		core.NoticeYourTurn: "„{title}“ wartet auf Ihre Freigabe.", core.NoticeRejected: "{who} hat „{title}“ abgelehnt.",
		core.NoticeRevisionRequested: "{who} hat für „{title}“ eine Überarbeitung angefordert.", core.NoticeApproved: "{who} hat „{title}“ freigegeben.",
		core.NoticePublished: "„{title}“ ist veröffentlicht.", core.NoticeWithdrawn: "{who} hat „{title}“ aus der Freigabe zurückgezogen.",
		core.NoticeUnreachable:       "„{title}“ wartet auf einen Schritt, den zurzeit niemand entscheiden kann.",
		core.NoticeUnpublished:       "{who} hat „{title}“ offline genommen.",
		core.NoticePublicationFailed: "Die geplante Veröffentlichung von „{title}“ oder ihr Ende ist fehlgeschlagen. Es wird erneut versucht; der Eintrag zeigt, warum.",
		core.NoticeReleaseFailed:     "Das Release „{title}“ ist nicht zu seiner Zeit erschienen.",
		core.NoticeComment:           "{who} hat „{title}“ kommentiert.", core.NoticeMention: "{who} nennt Sie in einem Kommentar zu „{title}“.",
		core.NoticeResolved:   "{who} hat einen Kommentar zu „{title}“ erledigt.",
		core.NoticeOverdue:    "„{title}“ sollte jetzt veröffentlicht sein und ist noch nicht freigegeben.",
		core.NoticeDelegation: "{place} darf Freigaben im Namen von {title} entscheiden, solange die Vertretung gilt.",
		core.NoticeWebhookOff: "Der Webhook „{title}“ wurde abgeschaltet, weil ihn seit drei Tagen keine Nachricht erreicht hat.",
	},
	systemLeads: map[core.NoticeKind]string{
		core.NoticeRejected: "„{title}“ wurde abgelehnt.", core.NoticeRevisionRequested: "Für „{title}“ wurde eine Überarbeitung angefordert.",
		core.NoticeApproved: "„{title}“ wurde freigegeben.", core.NoticeWithdrawn: "„{title}“ wurde aus der Freigabe zurückgezogen.",
		core.NoticeUnpublished: "„{title}“ ist offline.",
	},
	accounts: map[core.EventType]string{
		core.EventUserUpdated:     "Ein Administrator hat Ihr Konto geändert.",
		core.EventEmailChanged:    "Die E-Mail-Adresse Ihres Kontos wurde auf diese geändert.",
		core.EventPasswordChanged: "Das Passwort Ihres Kontos wurde geändert. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventUserLinked: "Ihr Konto wurde mit einem Identitätsanbieter verbunden. Seine Sitzungen sind beendet, Tokens bleiben. " +
			"Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventUserUnlinked:    "Ihr Konto ist nicht mehr mit einem Identitätsanbieter verbunden. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventFactorAdded:     "Ihrem Konto wurde ein zweiter Faktor hinzugefügt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventFactorRemoved:   "Ein zweiter Faktor Ihres Kontos wurde entfernt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventFactorUsedBack:  "Ein Passkey Ihres Kontos wurde abgewiesen, weil er eine Kopie sein kann. Entfernen Sie ihn, und sagen Sie es der Administration.",
		core.EventRecoveryRenewed: "Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventRecoveryUsed:    "Ein Wiederherstellungscode Ihres Kontos wurde benutzt. Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		core.EventMemberUpdated:   "Sie haben eine Rolle erhalten.",
		core.EventDomainLost:      "Der Eintrag einer Domain Ihres Identitätsanbieters fehlte 7 Tage lang. Die Domain ist nicht mehr beansprucht, und der Anbieter ist abgeschaltet. Beanspruchen Sie sie auf seiner Seite neu.",
		core.EventMemberKept: "Keine Gruppe bei Ihrem Identitätsanbieter macht Sie mehr zur Administration der Organisation. Sie bleiben es, weil sie keine andere hat. " +
			"Geben Sie die Rolle einer weiteren Person.",
		core.EventMemberRemoved: "Ihnen wurde eine Rolle entzogen.", core.EventRoleGiven: "Sie haben eine Rolle für Freigaben erhalten.",
		core.EventRoleTaken: "Ihnen wurde eine Rolle für Freigaben entzogen.",
	},
	accountsBy: map[core.EventType]string{
		core.EventUserUpdated:     "{who} hat Ihr Konto geändert.",
		core.EventEmailChanged:    "{who} hat die E-Mail-Adresse Ihres Kontos auf diese geändert.",
		core.EventPasswordChanged: "{who} hat ein neues Passwort für Ihr Konto gesetzt. Wenn Sie das nicht erwartet haben, sagen Sie es sofort der Administration.",
		core.EventFactorRemoved:   "{who} hat einen zweiten Faktor Ihres Kontos entfernt. Wenn Sie nicht darum gebeten haben, sagen Sie es sofort der Administration.",
		core.EventMemberUpdated:   "{who} hat Ihnen eine Rolle gegeben.", core.EventMemberRemoved: "{who} hat Ihnen eine Rolle entzogen.",
		core.EventRoleGiven: "{who} hat Ihnen eine Rolle für Freigaben gegeben.", core.EventRoleTaken: "{who} hat Ihnen eine Rolle für Freigaben entzogen.",
	},
	accountSubjects: map[core.EventType]string{
		core.EventEmailChanged: "Ihre E-Mail-Adresse wurde geändert", core.EventPasswordChanged: "Ihr Passwort wurde geändert",
		core.EventUserLinked: "Ihr Konto wurde mit einem Identitätsanbieter verbunden", core.EventUserUnlinked: "Ihr Konto ist nicht mehr mit einem Identitätsanbieter verbunden",
		core.EventFactorAdded: "Ihrem Konto wurde ein zweiter Faktor hinzugefügt", core.EventFactorRemoved: "Ein zweiter Faktor Ihres Kontos wurde entfernt",
		core.EventFactorUsedBack: "Ein Passkey Ihres Kontos wurde abgewiesen", core.EventRecoveryRenewed: "Sie haben neue Wiederherstellungscodes",
		core.EventRecoveryUsed: "Ein Wiederherstellungscode Ihres Kontos wurde benutzt", core.EventMemberUpdated: "Sie haben eine Rolle erhalten",
		core.EventMemberKept:    "Sie bleiben die letzte Administration Ihrer Organisation",
		core.EventDomainLost:    "Ein Identitätsanbieter hat eine Domain verloren",
		core.EventMemberRemoved: "Ihnen wurde eine Rolle entzogen", core.EventRoleGiven: "Sie haben eine Rolle für Freigaben erhalten",
		core.EventRoleTaken: "Ihnen wurde eine Rolle für Freigaben entzogen", core.EventUserUpdated: "Ihr Konto wurde bearbeitet",
	},
	roles: map[core.Role]string{
		core.RoleTenantAdmin: "Administrator der Organisation {place}", core.RoleDepartmentAdmin: "Administrator der Abteilung {place}",
		core.RoleAdmin: "Administrator des Projekts {place}", core.RoleEditor: "Redakteur des Projekts {place}",
		core.RoleViewer: "Betrachter des Projekts {place}", "": "„{role}“ der Abteilung {place}",
	},
	roleLeads: map[core.EventType]string{
		core.EventMemberUpdated: "Sie haben eine Rolle erhalten: {role}.", core.EventMemberRemoved: "Ihnen wurde eine Rolle entzogen: {role}.",
		core.EventRoleGiven: "Sie haben eine Rolle erhalten: {role}.", core.EventRoleTaken: "Ihnen wurde eine Rolle entzogen: {role}.",
	},
	roleLeadsBy: map[core.EventType]string{
		core.EventMemberUpdated: "{who} hat Ihnen eine Rolle gegeben: {role}.", core.EventMemberRemoved: "{who} hat Ihnen eine Rolle entzogen: {role}.",
		core.EventRoleGiven: "{who} hat Ihnen eine Rolle gegeben: {role}.", core.EventRoleTaken: "{who} hat Ihnen eine Rolle entzogen: {role}.",
	},
	roleSubjects: map[core.EventType]string{
		core.EventMemberUpdated: "Neue Rolle: {role}", core.EventMemberRemoved: "Entzogene Rolle: {role}",
		core.EventRoleGiven: "Neue Rolle: {role}", core.EventRoleTaken: "Entzogene Rolle: {role}",
	},
	delegationEnded: "{place} darf keine Freigaben mehr im Namen von {title} entscheiden.",
	reminder:        [3]string{"Erinnerung – Ihre Freigabe: {title}", "Erinnerung: Ein Antrag wartet auf Ihre Freigabe", "„{title}“ wartet noch auf Ihre Freigabe."},
	gone:            "Der Webhook „{title}“ wurde abgeschaltet, weil sein Empfänger meldet, dass es ihn nicht mehr gibt (410).",
}
