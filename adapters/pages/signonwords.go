package pages

import "net/http"

// signOnTexts are the texts of the pages of sign-ins at identity providers in one language.
type signOnTexts struct {
	title, with, proceed, others       string
	leave                              string
	requestLead, request               string
	connectTitle, connectLead, connect string
	trialTitle, trialLead, claims      string
	authTime, noAuthTime, close        string
	groupRoles                         string
	provenTitle, provenLead            string
	roles, would, problems             map[string]string
}

// signOnWordsFor returns the texts in the language that the browser prefers.
func signOnWordsFor(r *http.Request) *signOnTexts {
	if wordsFor(r).lang == "de" {
		return &germanSignOn
	}
	return &englishSignOn
}

var englishSignOn = signOnTexts{
	title: "Sign in by your organisation", with: "Continue with {name}", proceed: "Continue", others: "Sign in with a password or passkey",
	leave:       "You have signed out here. Also sign out at {name}",
	requestLead: "Do you have an account here? Enter its address. You get an e-mail with a link that connects it.", request: "Send the link",
	connectTitle: "Connect your account", connectLead: "Sign in at your organisation. From then on, that sign-in opens your account here.", connect: "Continue to the sign-in",
	trialTitle: "What the identity provider says", trialLead: "{name} has signed you in. This was a trial: no account has changed.", claims: "Claims of the ID token",
	authTime:    "It says when you have signed in there (auth_time), so that it can confirm decisions.",
	noAuthTime:  "It does not say when you have signed in there (auth_time): decisions that ask for a fresh proof need a passkey.",
	close:       "You can close this tab and switch the identity provider on.",
	groupRoles:  "Your groups would give the account these roles:",
	provenTitle: "You have shown that it is you", provenLead: "It counts for five minutes. Close this tab and go on where you were.",
	roles: map[string]string{
		"tenant_admin": "Admin of the organisation", "department_admin": "Admin of the department", "admin": "Admin of the project",
		"editor": "Editor of the project", "viewer": "Viewer of the project",
	},
	would: map[string]string{
		"sign_in": "A sign-in would open the account {account}.", "create": "A sign-in would make the account {account}.",
		"not_linked":    "A sign-in would be refused: no account is linked to you. Invite people, or let them link their accounts on their account page.",
		"not_of_tenant": "A sign-in would be refused: the account {account} is that of a super admin or belongs to another tenant, too.",
		"account_off":   "A sign-in would be refused: the account {account} is not active.",
		"too_many_groups": "A sign-in would be refused: the identity provider names more than 500 groups, or leaves them out because there are too many. " +
			"Have it send only the groups of this application.",
	},
	problems: map[string]string{
		"sign_in_again":        "This sign-in has expired, was used, or began in another browser. Start again.",
		"provider_refused":     "The identity provider did not sign you in.",
		"provider_unavailable": "The identity provider does not answer at present. Try again later, or sign in another way.",
		"not_linked":           "No account is linked to you at this identity provider. Ask an administrator for an invitation.",
		"not_of_tenant":        "Your account is not signed in by this identity provider, because it belongs to another organisation, too. Sign in with your password or passkey.",
		"account_off":          "Your account is not active. Ask an administrator.",
		"person_linked":        "Another account is linked to you at this identity provider.",
		"account_linked":       "The account is linked to another person at this identity provider.",
		"provider_not_offered": "This identity provider cannot accept the invitation. Accept it with a password.",
		"not_found":            "This identity provider is not in use.",
		"changed_meanwhile":    "The identity provider was changed at the same time. Try again.",
		"forbidden":            "Only an administrator may try this identity provider.",
		"linked":               "Your account belongs to another organisation.",
		"provider_required":    "Your account is signed in by your organisation alone.",
		"wrong_subject":        "Another person has signed in at the identity provider than the one of your account. Close this tab and try again.",
		"not_proven":           "The identity provider does not say that you have just signed in there. Close this tab and use a passkey. You can add one on your account page after a new sign-in.",
		"too_many_groups":      "The identity provider names too many groups of yours. Ask an administrator to have it send only those of this application.",
	},
}

var germanSignOn = signOnTexts{
	title: "Anmeldung über Ihre Organisation", with: "Weiter mit {name}", proceed: "Weiter", others: "Mit Passwort oder Passkey anmelden",
	leave:       "Sie sind hier abgemeldet. Auch bei {name} abmelden",
	requestLead: "Haben Sie hier ein Konto? Geben Sie seine Adresse ein. Sie erhalten eine E-Mail mit einem Link, der es verbindet.", request: "Link senden",
	connectTitle: "Konto verbinden", connectLead: "Melden Sie sich bei Ihrer Organisation an. Danach öffnet diese Anmeldung Ihr Konto hier.", connect: "Weiter zur Anmeldung",
	trialTitle: "Was der Identitätsanbieter sagt", trialLead: "{name} hat Sie angemeldet. Das war ein Versuch: Kein Konto hat sich geändert.", claims: "Angaben des ID-Tokens",
	authTime:    "Er sagt, wann Sie sich dort angemeldet haben (auth_time), und kann damit Entscheidungen bestätigen.",
	noAuthTime:  "Er sagt nicht, wann Sie sich dort angemeldet haben (auth_time): Entscheidungen mit neuem Nachweis brauchen einen Passkey.",
	close:       "Sie können diesen Tab schließen und den Identitätsanbieter einschalten.",
	groupRoles:  "Ihre Gruppen würden dem Konto diese Rollen geben:",
	provenTitle: "Sie haben gezeigt, dass Sie es sind", provenLead: "Das gilt fünf Minuten. Schließen Sie diesen Tab und machen Sie weiter, wo Sie waren.",
	roles: map[string]string{
		"tenant_admin": "Administration der Organisation", "department_admin": "Administration der Abteilung", "admin": "Administration des Projekts",
		"editor": "Redaktion des Projekts", "viewer": "Einsicht in das Projekt",
	},
	would: map[string]string{
		"sign_in": "Eine Anmeldung würde das Konto {account} öffnen.", "create": "Eine Anmeldung würde das Konto {account} anlegen.",
		"not_linked":    "Eine Anmeldung würde abgewiesen: Mit Ihnen ist kein Konto verbunden. Laden Sie Personen ein, oder lassen Sie sie ihre Konten auf ihrer Kontoseite verbinden.",
		"not_of_tenant": "Eine Anmeldung würde abgewiesen: Das Konto {account} ist das eines Super-Admins oder gehört auch zu einem anderen Mandanten.",
		"account_off":   "Eine Anmeldung würde abgewiesen: Das Konto {account} ist nicht aktiv.",
		"too_many_groups": "Eine Anmeldung würde abgewiesen: Der Identitätsanbieter nennt mehr als 500 Gruppen oder lässt sie weg, weil es zu viele sind. " +
			"Lassen Sie ihn nur die Gruppen dieser Anwendung senden.",
	},
	problems: map[string]string{
		"sign_in_again":        "Diese Anmeldung ist abgelaufen, wurde benutzt oder begann in einem anderen Browser. Beginnen Sie von vorn.",
		"provider_refused":     "Der Identitätsanbieter hat Sie nicht angemeldet.",
		"provider_unavailable": "Der Identitätsanbieter antwortet zurzeit nicht. Versuchen Sie es später noch einmal, oder melden Sie sich anders an.",
		"not_linked":           "Mit Ihnen ist bei diesem Identitätsanbieter kein Konto verbunden. Bitten Sie die Administration um eine Einladung.",
		"not_of_tenant":        "Dieser Identitätsanbieter meldet Ihr Konto nicht an, weil es auch zu einer anderen Organisation gehört. Melden Sie sich mit Passwort oder Passkey an.",
		"account_off":          "Ihr Konto ist nicht aktiv. Fragen Sie die Administration.",
		"person_linked":        "Mit Ihnen ist bei diesem Identitätsanbieter ein anderes Konto verbunden.",
		"account_linked":       "Das Konto ist mit einer anderen Person bei diesem Identitätsanbieter verbunden.",
		"provider_not_offered": "Dieser Identitätsanbieter kann die Einladung nicht annehmen. Nehmen Sie sie mit einem Passwort an.",
		"not_found":            "Dieser Identitätsanbieter ist nicht in Gebrauch.",
		"changed_meanwhile":    "Der Identitätsanbieter wurde gleichzeitig geändert. Versuchen Sie es noch einmal.",
		"forbidden":            "Nur die Administration darf diesen Identitätsanbieter ausprobieren.",
		"linked":               "Ihr Konto gehört zu einer anderen Organisation.",
		"provider_required":    "Ihr Konto wird nur über Ihre Organisation angemeldet.",
		"wrong_subject":        "Beim Identitätsanbieter hat sich eine andere Person angemeldet als die Ihres Kontos. Schließen Sie diesen Tab, und versuchen Sie es noch einmal.",
		"not_proven":           "Der Identitätsanbieter sagt nicht, dass Sie sich gerade dort angemeldet haben. Schließen Sie diesen Tab, und benutzen Sie einen Passkey. Sie können ihn nach einer neuen Anmeldung auf Ihrer Kontoseite hinzufügen.",
		"too_many_groups":      "Der Identitätsanbieter nennt zu viele Gruppen von Ihnen. Bitten Sie die Administration, dass er nur die dieser Anwendung sendet.",
	},
}
