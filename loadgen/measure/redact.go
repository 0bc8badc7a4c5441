package measure

import (
	"regexp"
	"unicode/utf8"
)

// maxMessage is the longest message that is kept: a report has a budget of bytes.
const maxMessage = 500

// userInfo is the part of a connection string that holds a name and a password. A password may itself hold an @, which
// a careful writer would have escaped, so the match goes on to the last one before a white space, a quote or a slash.
var userInfo = regexp.MustCompile(`((?:mongodb(?:\+srv)?|mysql)://)[^\s/"']*@`)

// Redact returns a message without the credentials of any connection string in it, cut to a length that a report can
// hold.
func Redact(message string) string {
	return Shorten(userInfo.ReplaceAllString(message, "${1}***@"), maxMessage)
}

// maxBrief is the longest text of an error in a report.
const maxBrief = 400

// Brief is the text of an error for a report: without credentials, and cut where it is too long.
func Brief(err error) string {
	return Shorten(Redact(err.Error()), maxBrief)
}

// Shorten cuts a text after most bytes, between two characters.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}
