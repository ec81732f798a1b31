package address

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Domain returns the form in which the domain of an e-mail address is stored and compared, that of Mailbox. It returns
// false for a text that is no domain of addresses that Email admits.
func Domain(text string) (domain string, ok bool) {
	if strings.Contains(text, "@") || !Email("a@"+text) {
		return "", false
	}
	return Mailbox("a@" + text)[len("a@"):], true
}

// DomainOf returns the domain of an address that Email admits, as Domain writes it.
func DomainOf(email string) string {
	mailbox := Mailbox(email)
	return mailbox[strings.LastIndexByte(mailbox, '@')+1:]
}

// publicMail are domains in which anybody can get an address.
var publicMail = []string{
	"126.com", "139.com", "163.com", "aim.com", "aol.com", "att.net", "bigpond.com", "bluewin.ch", "bol.com.br", "bt.com", "btinternet.com", "comcast.net",
	"cox.net", "daum.net", "duck.com", "email.com", "fastmail.com", "fastmail.fm", "foxmail.com", "free.fr", "freenet.de", "gmail.com", "gmx.at", "gmx.ch",
	"gmx.com", "gmx.de", "gmx.net", "googlemail.com", "hanmail.net", "hey.com", "hotmail.be", "hotmail.co.uk", "hotmail.com", "hotmail.de", "hotmail.es",
	"hotmail.fr", "hotmail.it", "hushmail.com", "icloud.com", "inbox.com", "inbox.lv", "laposte.net", "libero.it", "list.ru", "live.co.uk", "live.com",
	"live.de", "live.fr", "live.nl", "mac.com", "mail.com", "mail.de", "mail.ru", "mailbox.org", "mailfence.com", "mailinator.com", "me.com", "msn.com",
	"naver.com", "ntlworld.com", "o2.pl", "onet.pl", "online.de", "optusnet.com.au", "orange.fr", "outlook.com", "outlook.de", "outlook.es", "outlook.fr",
	"outlook.it", "passport.com", "pm.me", "posteo.de", "posteo.net", "proton.me", "protonmail.ch", "protonmail.com", "qq.com", "rambler.ru",
	"rediffmail.com", "rocketmail.com", "runbox.com", "sbcglobal.net", "seznam.cz", "sfr.fr", "sina.com", "sky.com", "sohu.com", "startmail.com",
	"t-online.de", "talktalk.net", "telenet.be", "terra.com.br", "tuta.com", "tuta.io", "tutanota.com", "tutanota.de", "uol.com.br", "verizon.net",
	"virgilio.it", "virginmedia.com", "wanadoo.fr", "web.de", "wp.pl", "ya.ru", "yahoo.co.in", "yahoo.co.jp", "yahoo.co.uk", "yahoo.com", "yahoo.com.br",
	"yahoo.de", "yahoo.es", "yahoo.fr", "yahoo.it", "yandex.com", "yandex.ru", "yeah.net", "ymail.com", "zoho.com", "zohomail.com",
}

// PublicMail reports whether anybody can get an address in a domain, which has the form of Domain: that of a
// public provider, or one in which anybody can register a domain, such as co.uk.
func PublicMail(domain string) bool {
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return true
	}
	if suffix, _ := publicsuffix.PublicSuffix(ascii); suffix == ascii {
		return true
	}
	return slices.Contains(publicMail, ascii)
}
