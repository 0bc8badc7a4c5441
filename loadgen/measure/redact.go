package measure

import "regexp"

// maxMessage is the longest message that is kept: a report has a budget of bytes.
const maxMessage = 500

// userInfo is the part of a connection string that holds a name and a password. A password may itself hold an @, which
// a careful writer would have escaped, so the match goes on to the last one before a white space, a quote or a slash.
var userInfo = regexp.MustCompile(`((?:mongodb(?:\+srv)?|mysql)://)[^\s/"']*@`)

// Redact returns a message without the credentials of any connection string in it, cut to a length that a report can
// hold.
func Redact(message string) string {
	message = userInfo.ReplaceAllString(message, "${1}***@")
	if len(message) > maxMessage {
		message = message[:maxMessage] + "..."
	}
	return message
}
