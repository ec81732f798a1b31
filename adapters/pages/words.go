package pages

import (
	"net/http"

	"golang.org/x/text/language"
)

// texts are the texts of the pages in one language.
type texts struct {
	lang, lead, email, password                   string
	signIn, wrong, limited, failed                string
	changeTitle, changeLead, current, next, hint  string
	change, wrongCurrent, short, long, common, as string
}

var (
	languages = language.NewMatcher([]language.Tag{language.English, language.German})
	words     = [...]texts{
		{
			lang: "en", lead: "Nothing is published without review.", email: "E-mail", password: "Password",
			signIn: "Sign in", wrong: "The e-mail or the password is wrong.", limited: "Too many failed attempts. Try again in a few minutes.", failed: "Something went wrong. Try again.",
			changeTitle: "Choose your own password", changeLead: "An admin has set your password. Choose one that only you know.",
			current: "Current password", next: "New password", hint: "At least 10 characters, and not a common password.", change: "Change password",
			wrongCurrent: "The current password is wrong.", short: "The new password must have at least 10 characters.", long: "The new password is too long.",
			common: "The new password is a common one. Choose another.", as: "The new password must differ from the current one.",
		},
		{
			lang: "de", lead: "Nichts erscheint ungeprüft.", email: "E-Mail", password: "Passwort",
			signIn: "Anmelden", wrong: "E-Mail oder Passwort ist falsch.", limited: "Zu viele Fehlversuche. Bitte in ein paar Minuten noch einmal versuchen.", failed: "Das hat nicht geklappt. Bitte noch einmal versuchen.",
			changeTitle: "Eigenes Passwort wählen", changeLead: "Ihr Passwort wurde von der Administration vergeben. Wählen Sie eines, das nur Sie kennen.",
			current: "Aktuelles Passwort", next: "Neues Passwort", hint: "Mindestens 10 Zeichen und kein häufiges Passwort.", change: "Passwort ändern",
			wrongCurrent: "Das aktuelle Passwort ist falsch.", short: "Das neue Passwort braucht mindestens 10 Zeichen.", long: "Das neue Passwort ist zu lang.",
			common: "Das neue Passwort ist zu häufig. Bitte ein anderes wählen.", as: "Das neue Passwort muss sich vom aktuellen unterscheiden.",
		},
	}
)

// wordsFor returns the texts in the language that the browser prefers.
func wordsFor(r *http.Request) texts {
	_, index := language.MatchStrings(languages, r.Header.Get("Accept-Language"))
	return words[index]
}
