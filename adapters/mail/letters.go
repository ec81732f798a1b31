package mail

import (
	"strings"

	"imprimatur/core"
	"imprimatur/core/letter"
)

// letterTexts are the texts of letters in one language: of each kind what its subject, its lead, its
// note and its link say. {who} is the name of the inviter, {email} the new address.
type letterTexts struct {
	subject, lead, note, action map[letter.Kind]string
	unknown                     string // an inviter without a name
	reason                      string
	roles                       map[core.Role]string
}

// letterContent returns the content of l.
func letterContent(t *texts, l *letter.Letter, base string) content {
	w := &englishLetters
	if t == &german {
		w = &germanLetters
	}
	who := oneLine(l.Actor, longestName)
	if who == "" {
		who = w.unknown
	}
	say := func(texts map[letter.Kind]string) string {
		return strings.NewReplacer("{who}", isolated(who), "{email}", oneLine(l.Email, longestTitle)).Replace(texts[l.Kind])
	}
	c := content{
		Language: t.language, Subject: say(w.subject), Lead: say(w.lead), Note: say(w.note), Action: say(w.action), Reason: w.reason, Link: base + l.Path,
	}
	if l.Path == "" {
		c.Link = base + "/dashboard/"
	}
	for _, r := range l.Roles {
		name := r.Custom
		if name == "" {
			name = w.roles[r.Role]
		}
		c.Facts = append(c.Facts, fact{oneLine(r.Place, longestName), oneLine(name, longestName)})
	}
	return c
}

var englishLetters = letterTexts{
	unknown: "An administrator", reason: "Imprimatur sends you this because somebody entered your address. If you expect nothing, ignore it.",
	subject: map[letter.Kind]string{
		letter.Invitation: "{who} invites you to Imprimatur", letter.Reminder: "{who} invites you to Imprimatur – new link", letter.Reset: "Choose a new password",
		letter.Address: "Confirm your new e-mail address", letter.AddressChanged: "The e-mail address of your account was changed",
		letter.Connect: "Connect your account",
	},
	lead: map[letter.Kind]string{
		letter.Invitation: "{who} invites you to Imprimatur.", letter.Reminder: "{who} invites you to Imprimatur. This link replaces the one before.",
		letter.Reset: "A new password was asked for your account.", letter.Address: "This address was given as the new one of your account.",
		letter.AddressChanged: "The e-mail address of your account was changed to {email}.",
		letter.Connect:        "Your account can be connected to “{who}”, so that you sign in there.",
	},
	note: map[letter.Kind]string{
		letter.Invitation: "The link works once, for 7 days.", letter.Reminder: "The link works once, for 7 days.",
		letter.Reset:          "The link works once, for 30 minutes. If you have not asked for it, ignore this mail: your password stays as it is.",
		letter.Address:        "The address changes when you confirm it. The link works once, for 24 hours.",
		letter.AddressChanged: "If it was not you, tell an administrator at once.",
		letter.Connect:        "The link works once, for 30 minutes. If you have not asked for it, ignore this mail: nothing changes.",
	},
	action: map[letter.Kind]string{
		letter.Invitation: "See the invitation", letter.Reminder: "See the invitation", letter.Reset: "Choose a new password", letter.Address: "Confirm the address",
		letter.AddressChanged: "Open Imprimatur", letter.Connect: "Connect the account",
	},
	roles: map[core.Role]string{
		core.RoleTenantAdmin: "Admin of the organisation", core.RoleDepartmentAdmin: "Admin of the department", core.RoleAdmin: "Admin of the project",
		core.RoleEditor: "Editor", core.RoleViewer: "Viewer",
	},
}

var germanLetters = letterTexts{
	unknown: "Die Administration", reason: "Imprimatur sendet Ihnen dies, weil jemand Ihre Adresse eingegeben hat. Wenn Sie nichts erwarten, ignorieren Sie es.",
	subject: map[letter.Kind]string{
		letter.Invitation: "{who} lädt Sie zu Imprimatur ein", letter.Reminder: "{who} lädt Sie zu Imprimatur ein – neuer Link", letter.Reset: "Neues Passwort wählen",
		letter.Address: "Neue E-Mail-Adresse bestätigen", letter.AddressChanged: "Die E-Mail-Adresse Ihres Kontos wurde geändert",
		letter.Connect: "Ihr Konto verbinden",
	},
	lead: map[letter.Kind]string{
		letter.Invitation: "{who} lädt Sie zu Imprimatur ein.", letter.Reminder: "{who} lädt Sie zu Imprimatur ein. Dieser Link ersetzt den vorigen.",
		letter.Reset: "Für Ihr Konto wurde ein neues Passwort angefordert.", letter.Address: "Diese Adresse wurde als neue Adresse Ihres Kontos angegeben.",
		letter.AddressChanged: "Die E-Mail-Adresse Ihres Kontos wurde auf {email} geändert.",
		letter.Connect:        "Ihr Konto kann mit „{who}“ verbunden werden, damit Sie sich dort anmelden.",
	},
	note: map[letter.Kind]string{
		letter.Invitation: "Der Link gilt einmal, 7 Tage lang.", letter.Reminder: "Der Link gilt einmal, 7 Tage lang.",
		letter.Reset:          "Der Link gilt einmal, 30 Minuten lang. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.",
		letter.Address:        "Die Adresse ändert sich, wenn Sie sie bestätigen. Der Link gilt einmal, 24 Stunden lang.",
		letter.AddressChanged: "Wenn nicht Sie das waren, sagen Sie es sofort der Administration.",
		letter.Connect:        "Der Link gilt einmal, 30 Minuten lang. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail: Es ändert sich nichts.",
	},
	action: map[letter.Kind]string{
		letter.Invitation: "Einladung ansehen", letter.Reminder: "Einladung ansehen", letter.Reset: "Neues Passwort wählen", letter.Address: "Adresse bestätigen",
		letter.AddressChanged: "Imprimatur öffnen", letter.Connect: "Konto verbinden",
	},
	roles: map[core.Role]string{
		core.RoleTenantAdmin: "Administrator der Organisation", core.RoleDepartmentAdmin: "Administrator der Abteilung", core.RoleAdmin: "Administrator des Projekts",
		core.RoleEditor: "Redakteur", core.RoleViewer: "Betrachter",
	},
}
