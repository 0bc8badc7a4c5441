package present

// Paint colours single words, or nothing when it is false.
type Paint bool

// Colours of a terminal.
const (
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// wordColours are those of the words that are worth one.
var wordColours = map[string]string{
	"Improved": green, "Regressed": red, "Inconclusive": yellow,
	"succeeded": green, "failed": red, "refused": red, "regressed": red, "untrusted": yellow, "unknown": yellow,
}

// Heading makes a heading stand out.
func (p Paint) Heading(text string) string { return p.with(bold, text) }

func (p Paint) with(colour, text string) string {
	if !p || colour == "" {
		return text
	}
	return colour + text + plain
}
