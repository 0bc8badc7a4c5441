package vocabulary

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/brianvoe/gofakeit/v7/data"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

//go:embed words/*.txt
var files embed.FS

const (
	// size is the number of words of a language.
	size = 4096
	// Choices is the number of equal parts that a draw of a word has, 16 bits of it.
	Choices = 1 << 16
)

// Words are those of a language, to be drawn as often as they come in texts.
type Words struct {
	// Lower and Capital are the words, and the same with a capital letter, each with the space after it.
	Lower, Capital []Word
	// Draw has for every 16 bits the word that they choose.
	Draw []uint16
	// Space, Comma and Stop come after a word, in a sentence and at its end. Last is Stop without its space.
	Space, Comma, Stop, Last string
	// Longest is the number of bytes of the longest word with what comes after it.
	Longest int
}

// Word is a word, made so that it is quick to append.
type Word struct {
	text string
	// short is the text once more, if it fits: to copy as many bytes every time needs no loop.
	short  [shortWord]byte
	length uint8
}

// shortWord is longer than most words.
const shortWord = 16

func newWord(text string) Word {
	w := Word{text: text}
	if len(text) <= shortWord {
		w.length = uint8(copy(w.short[:], text))
	}
	return w
}

// Append appends the word.
func (w *Word) Append(dst []byte) []byte {
	if w.length == 0 {
		return append(dst, w.text...)
	}
	return append(dst, w.short[:]...)[:len(dst)+int(w.length)]
}

// languages are made when they are first needed, and serve the whole process.
var languages = map[benchv1alpha1.Language]func() *Words{
	benchv1alpha1.LanguageEnglish: sync.OnceValue(func() *Words { return spaced("english", english()) }),
	benchv1alpha1.LanguageGerman:  sync.OnceValue(func() *Words { return spaced("german", nil) }),
	benchv1alpha1.LanguageFrench:  sync.OnceValue(func() *Words { return spaced("french", nil) }),
	benchv1alpha1.LanguageRussian: sync.OnceValue(func() *Words { return spaced("russian", nil) }),
	benchv1alpha1.LanguageGreek:   sync.OnceValue(func() *Words { return spaced("greek", nil) }),
	benchv1alpha1.LanguageChinese: sync.OnceValue(func() *Words {
		return words("chinese", nil, Words{Comma: "，", Stop: "。", Last: "。"})
	}),
}

// mixed are the languages of Mixed, in an order that is fixed for ever.
var mixed = []benchv1alpha1.Language{
	benchv1alpha1.LanguageEnglish, benchv1alpha1.LanguageGerman, benchv1alpha1.LanguageFrench,
	benchv1alpha1.LanguageRussian, benchv1alpha1.LanguageGreek, benchv1alpha1.LanguageChinese,
}

// Of are the words of a language, and of Mixed those of all.
func Of(language benchv1alpha1.Language) ([]*Words, error) {
	wanted := []benchv1alpha1.Language{language}
	if language == benchv1alpha1.LanguageMixed {
		wanted = mixed
	}
	all := make([]*Words, 0, len(wanted))
	for _, one := range wanted {
		made, ok := languages[one]
		if !ok {
			return nil, fmt.Errorf("there are no words of language %q", one)
		}
		all = append(all, made())
	}
	return all, nil
}

func spaced(file string, more []string) *Words {
	return words(file, more, Words{Space: " ", Comma: ", ", Stop: ". ", Last: "."})
}

// words reads those of a file, which are in the order of how often they come, and fills up with more and with words
// that are put together from halves of these.
func words(file string, more []string, w Words) *Words {
	text, err := files.ReadFile("words/" + file + ".txt")
	if err != nil {
		panic(err) // The file is part of the program.
	}
	all := filled(unique(append(strings.Fields(string(text)), more...)))
	for _, word := range all {
		first, length := utf8.DecodeRuneInString(word)
		capital := string(unicode.ToUpper(first)) + word[length:]
		w.Lower, w.Capital = append(w.Lower, newWord(word+w.Space)), append(w.Capital, newWord(capital+w.Space))
		w.Longest = max(w.Longest, max(len(word), len(capital))+max(len(w.Space), len(w.Comma), len(w.Stop)))
	}
	w.Draw = byFrequency(len(all))
	return &w
}

// english are words besides the most frequent ones.
func english() []string {
	var all []string
	for _, list := range []string{
		"noun_common", "noun_countable", "noun_uncountable", "noun_concrete", "noun_abstract", "verb_action",
		"verb_transitive", "verb_intransitive", "adjective_descriptive", "adverb_manner", "adverb_place",
		"adverb_frequency_indefinite",
	} {
		for _, word := range data.Word[list] {
			if !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) }) {
				all = append(all, word)
			}
		}
	}
	return all
}

// unique keeps the first of each.
func unique(words []string) []string {
	seen := make(map[string]bool, len(words))
	kept := words[:0]
	for _, word := range words {
		if !seen[word] {
			seen[word] = true
			kept = append(kept, word)
		}
	}
	return kept
}

// filled has as many words as a language has, the last made of the first half of one and the second half of another.
// They look like the language, and are no words of it.
func filled(words []string) []string {
	var halves [][2]string
	for _, word := range words {
		letters := []rune(word)
		if middle := (len(letters) + 1) / 2; len(word) > 3 || len(letters) != len(word) {
			halves = append(halves, [2]string{string(letters[:middle]), string(letters[middle:])})
		}
	}
	words = words[:min(len(words), size)]
	for step := 1; len(words) < size; step++ {
		for i := range halves {
			words = append(words, halves[i][0]+halves[(i*7+step*13)%len(halves)][1])
		}
		words = unique(words)
	}
	return words[:size]
}

// byFrequency has the word of rank r, from 0 on, as often as the law of Zipf and Mandelbrot says, 1/(r+2.7), at least
// once.
func byFrequency(words int) []uint16 {
	const one = 1 << 40
	weight := func(rank int) uint64 { return one * 10 / uint64(10*rank+27) }
	var total uint64
	for rank := range words {
		total += weight(rank)
	}
	draw := make([]uint16, 0, Choices)
	var sum uint64
	for rank := range words {
		sum += weight(rank)
		bound := max(int(sum/(total/Choices)), len(draw)+1)
		for len(draw) < min(bound, Choices) {
			draw = append(draw, uint16(rank))
		}
	}
	for len(draw) < Choices {
		draw = append(draw, 0)
	}
	return draw
}
