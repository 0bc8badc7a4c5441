package vocabulary

import (
	"strings"
	"sync"

	"github.com/brianvoe/gofakeit/v7/data"
)

// Names are what persons, places and companies are called.
type Names struct {
	First, Last []string
	// MailFirst and MailLast are the same in the form that they have in mail addresses.
	MailFirst, MailLast []string
	Companies           []string
	Streets             []string
	Cities              []string
	Countries           []string
	// Words are parts of the paths of URLs.
	Words []string
	// Platforms are those of browsers.
	Platforms []string
}

// Domains are kept for examples by RFC 2606: no mail reaches anybody.
var Domains = []string{"example.com", "example.net", "example.org"}

// Lists are the names. They are made when they are first needed, and serve the whole process.
var Lists = sync.OnceValue(func() *Names {
	n := &Names{
		First:     data.Person["first"],
		Last:      data.Person["last"],
		Companies: data.Company["name"],
		Cities:    data.Address["city"],
		Countries: data.Address["country"],
		Words:     data.Word["noun_common"],
		Platforms: []string{
			"Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64", "Linux; Android 14",
		},
	}
	for _, name := range n.First {
		n.MailFirst = append(n.MailFirst, mailPart(name))
	}
	for _, name := range n.Last {
		n.MailLast = append(n.MailLast, mailPart(name))
		for _, kind := range []string{" Street", " Avenue", " Road", " Lane"} {
			n.Streets = append(n.Streets, name+kind)
		}
	}
	return n
})

// mailPart is a name in small letters, and nothing but letters.
func mailPart(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
