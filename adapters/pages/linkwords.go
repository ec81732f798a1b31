package pages

import "net/http"

// linkTexts are the texts of the pages of links in one language.
type linkTexts struct {
	forgot, forgotLead, send, askAdmin, sentTitle, sentLead, toSignIn, open     string
	resetTitle, resetLead, resetButton                                          string
	addressTitle, addressLead, addressButton, addressDone                       string
	invitationTitle, invitationLead, name, accept, signInToAccept, otherAccount string
	nameFault, leave                                                            string
	roles, problems                                                             map[string]string
}

// linkWordsFor returns the texts in the language that the browser prefers.
func linkWordsFor(r *http.Request) *linkTexts {
	if wordsFor(r).lang == "de" {
		return &germanLinks
	}
	return &englishLinks
}

var englishLinks = linkTexts{
	forgot: "Forgot your password?", forgotLead: "Enter the address of your account. You get an e-mail with a link to choose a new password.", send: "Send the link",
	askAdmin: "Forgot your password? Ask an administrator.", sentTitle: "Look into your mail",
	sentLead: "If this address has an account, a link is on its way to it. It works for 30 minutes. An address gets three such mails an hour.",
	toSignIn: "To sign-in", open: "Open Imprimatur",
	resetTitle: "Choose a new password", resetLead: "For {email}. All open sessions of the account end.", resetButton: "Set the password",
	addressTitle: "Confirm your new address", addressLead: "The e-mail address of your account becomes {email}.", addressButton: "Confirm", addressDone: "The e-mail address of your account has changed.",
	invitationTitle: "Your invitation", invitationLead: "{who} invites {email} to Imprimatur:", name: "Your name", accept: "Accept",
	signInToAccept: "This address has an account already. Sign in with it to accept.",
	leave:          "Sign out and continue",
	otherAccount:   "You are signed in as {own}, but the invitation is for {email}. Sign out first.",
	nameFault:      "Enter your name, in one line of at most 200 characters.",
	roles: map[string]string{
		"tenant_admin": "Admin of the organisation", "department_admin": "Admin of the department", "admin": "Admin of the project",
		"editor": "Editor", "viewer": "Viewer",
	},
	problems: map[string]string{
		"link_invalid":          "This link is not valid: it was used or replaced by a newer one, has expired, or is not complete.",
		"invitation_accepted":   "This invitation was accepted already. Sign in with your account.",
		"invitation_revoked":    "This invitation was withdrawn.",
		"invitation_expired":    "This invitation has expired. Ask for another one.",
		"invitation_place_gone": "What this invitation is for no longer exists.",
		"invitation_void":       "The person who invited you may no longer give these roles. Ask for another invitation.",
		"email_taken":           "Another account has this address meanwhile.",
		"provider_required":     "Accounts of this address are signed in by your organisation alone. Accept with its button.",
		"account_exists":        "This address has an account already. Sign in with it to accept.",
		"other_account":         "You are signed in with another address than that of the invitation.",
	},
}

var germanLinks = linkTexts{
	forgot: "Passwort vergessen?", forgotLead: "Geben Sie die Adresse Ihres Kontos ein. Sie erhalten eine E-Mail mit einem Link, um ein neues Passwort zu wählen.", send: "Link senden",
	askAdmin: "Passwort vergessen? Fragen Sie die Administration.", sentTitle: "Sehen Sie in Ihr Postfach",
	sentLead: "Wenn diese Adresse ein Konto hat, ist ein Link unterwegs. Er gilt 30 Minuten. Eine Adresse erhält drei solche Mails je Stunde.",
	toSignIn: "Zur Anmeldung", open: "Imprimatur öffnen",
	resetTitle: "Neues Passwort wählen", resetLead: "Für {email}. Alle offenen Sitzungen des Kontos enden.", resetButton: "Passwort setzen",
	addressTitle: "Neue Adresse bestätigen", addressLead: "Die E-Mail-Adresse Ihres Kontos wird {email}.", addressButton: "Bestätigen", addressDone: "Die E-Mail-Adresse Ihres Kontos ist geändert.",
	invitationTitle: "Ihre Einladung", invitationLead: "{who} lädt {email} zu Imprimatur ein:", name: "Ihr Name", accept: "Annehmen",
	signInToAccept: "Diese Adresse hat schon ein Konto. Melden Sie sich damit an, um anzunehmen.",
	leave:          "Abmelden und fortfahren",
	otherAccount:   "Sie sind als {own} angemeldet, die Einladung ist aber für {email}. Melden Sie sich zuerst ab.",
	nameFault:      "Geben Sie Ihren Namen ein, in einer Zeile mit höchstens 200 Zeichen.",
	roles: map[string]string{
		"tenant_admin": "Administrator der Organisation", "department_admin": "Administrator der Abteilung", "admin": "Administrator des Projekts",
		"editor": "Redakteur", "viewer": "Betrachter",
	},
	problems: map[string]string{
		"link_invalid":          "Dieser Link gilt nicht: Er wurde benutzt oder durch einen neueren ersetzt, ist abgelaufen oder nicht vollständig.",
		"invitation_accepted":   "Diese Einladung wurde schon angenommen. Melden Sie sich mit Ihrem Konto an.",
		"invitation_revoked":    "Diese Einladung wurde zurückgezogen.",
		"invitation_expired":    "Diese Einladung ist abgelaufen. Bitten Sie um eine neue.",
		"invitation_place_gone": "Das, wozu diese Einladung gehört, gibt es nicht mehr.",
		"invitation_void":       "Wer Sie eingeladen hat, darf diese Rollen nicht mehr vergeben. Bitten Sie um eine neue Einladung.",
		"email_taken":           "Ein anderes Konto hat inzwischen diese Adresse.",
		"provider_required":     "Konten dieser Adresse werden nur über Ihre Organisation angemeldet. Nehmen Sie mit deren Schaltfläche an.",
		"account_exists":        "Diese Adresse hat schon ein Konto. Melden Sie sich damit an, um anzunehmen.",
		"other_account":         "Sie sind mit einer anderen Adresse angemeldet als der der Einladung.",
	},
}
