package present

// Harmless is a text as a cell of a CSV has it. A spreadsheet takes a text for a formula, and computes it, that begins
// with one of these characters; what a database or a user has said must not do that. A quote before it makes it a text.
func Harmless(text string) string {
	if text == "" {
		return ""
	}
	switch text[0] {
	case '=', '+', '-', '@', '\t', '\r':
		return "'" + text
	default:
		return text
	}
}
