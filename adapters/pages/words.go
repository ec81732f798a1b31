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
	secondStep, secondLead, code, proceed         string
	noApp, recovery, recoveryHint, again          string
	expired, wrongCode                            string
	withPasskey, usePasskey, wrongPasskey         string
	factorTitle, factorLead, factorRequired       string
	setUp, scan, secret                           string
	confirm, startAgain, wrongAppCode, codeNow    string
	confirmed, makeCodes                          string
	codesTitle, codesLead, kept                   string
	byCode, byRecovery, openApp                   string
	addPasskey, knownPasskey                      string
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
			secondStep: "Second step", secondLead: "Your password is right. Confirm with a second step that it is you.", code: "Code of your authenticator app", proceed: "Continue",
			noApp: "Use a recovery code", recovery: "Recovery code", recoveryHint: "One of the ten codes that you were shown when you set up the second step. Each works once.",
			again: "Start again", expired: "That took more than ten minutes. Sign in again.", withPasskey: "Sign in with a passkey", usePasskey: "Use a passkey", wrongPasskey: "That passkey does not sign in here.", wrongCode: "That code is wrong, or was used before. Wait for the next one.",
			factorTitle: "Set up a second step", factorLead: "The second step beside the password is an app on your phone that shows a new code every half minute, or a passkey of your device.",
			factorRequired: "Your organisation asks for a second step.",
			setUp:          "Set up an authenticator app", scan: "Scan this picture with your authenticator app, then enter the code that it shows.", secret: "Or type this key into the app:",
			confirm: "Confirm", startAgain: "Start again with a new picture", wrongAppCode: "That is not the code of the app at this time. Check that the clock of your phone is right.",
			codeNow:   "Enter the code that your authenticator app shows now.",
			confirmed: "The app is set up already, perhaps because the form was sent twice.", makeCodes: "Show recovery codes",
			codesTitle: "Keep these codes", codesLead: "If you lose your phone or your passkey, each of these codes signs you in once. Print them, copy them or write them down: they are not shown again.",
			kept: "I have kept the codes", byCode: "Sign in with the code", byRecovery: "Sign in with the recovery code",
			openApp: "Open in an authenticator app on this device", addPasskey: "Set up a passkey", knownPasskey: "This device has a passkey of your account already.",
		},
		{
			lang: "de", lead: "Nichts erscheint ungeprüft.", email: "E-Mail", password: "Passwort",
			signIn: "Anmelden", wrong: "E-Mail oder Passwort ist falsch.", limited: "Zu viele Fehlversuche. Bitte in ein paar Minuten noch einmal versuchen.", failed: "Das hat nicht geklappt. Bitte noch einmal versuchen.",
			changeTitle: "Eigenes Passwort wählen", changeLead: "Ihr Passwort wurde von der Administration vergeben. Wählen Sie eines, das nur Sie kennen.",
			current: "Aktuelles Passwort", next: "Neues Passwort", hint: "Mindestens 10 Zeichen und kein häufiges Passwort.", change: "Passwort ändern",
			wrongCurrent: "Das aktuelle Passwort ist falsch.", short: "Das neue Passwort braucht mindestens 10 Zeichen.", long: "Das neue Passwort ist zu lang.",
			common: "Das neue Passwort ist zu häufig. Bitte ein anderes wählen.", as: "Das neue Passwort muss sich vom aktuellen unterscheiden.",
			secondStep: "Zweiter Schritt", secondLead: "Das Passwort stimmt. Bestätigen Sie mit einem zweiten Schritt, dass Sie es sind.", code: "Code Ihrer Authenticator-App", proceed: "Weiter",
			noApp: "Einen Wiederherstellungscode benutzen", recovery: "Wiederherstellungscode", recoveryHint: "Einer der zehn Codes, die beim Einrichten gezeigt wurden. Jeder gilt einmal.",
			again: "Von vorn beginnen", expired: "Das hat länger als zehn Minuten gedauert. Bitte noch einmal anmelden.", withPasskey: "Mit einem Passkey anmelden", usePasskey: "Passkey benutzen", wrongPasskey: "Dieser Passkey meldet hier nicht an.", wrongCode: "Der Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten.",
			factorTitle: "Zweiten Schritt einrichten", factorLead: "Der zweite Schritt neben dem Passwort ist eine App auf dem Telefon, die jede halbe Minute einen neuen Code zeigt, oder ein Passkey Ihres Geräts.",
			factorRequired: "Ihre Organisation verlangt einen zweiten Schritt.",
			setUp:          "Authenticator-App einrichten", scan: "Scannen Sie dieses Bild mit der Authenticator-App und geben Sie den Code ein, den sie zeigt.", secret: "Oder geben Sie diesen Schlüssel in die App ein:",
			confirm: "Bestätigen", startAgain: "Mit einem neuen Bild von vorn beginnen", wrongAppCode: "Das ist nicht der Code der App zu dieser Zeit. Geht die Uhr Ihres Telefons richtig?",
			codeNow:   "Geben Sie den Code ein, den die Authenticator-App jetzt zeigt.",
			confirmed: "Die App ist schon eingerichtet, vielleicht wurde das Formular doppelt gesendet.", makeCodes: "Wiederherstellungscodes zeigen",
			codesTitle: "Bewahren Sie diese Codes auf", codesLead: "Wenn Sie das Telefon oder den Passkey verlieren, meldet jeder dieser Codes Sie einmal an. Drucken, kopieren oder notieren Sie sie: Sie werden nicht noch einmal gezeigt.",
			kept: "Ich habe die Codes aufbewahrt", byCode: "Mit dem Code anmelden", byRecovery: "Mit dem Wiederherstellungscode anmelden",
			openApp: "In einer Authenticator-App auf diesem Gerät öffnen", addPasskey: "Passkey einrichten", knownPasskey: "Dieses Gerät hat schon einen Passkey Ihres Kontos.",
		},
	}
)

// wordsFor returns the texts in the language that the browser prefers.
func wordsFor(r *http.Request) texts {
	_, index := language.MatchStrings(languages, r.Header.Get("Accept-Language"))
	return words[index]
}
