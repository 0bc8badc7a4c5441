package vocabulary

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// What has been measured must stay repeatable: another hash means that a release of gofakeit has other lists, or that a
// file of words was edited, and that old and new results have other documents.
func TestTheListsStayTheSame(t *testing.T) {
	hash := sha256.New()
	add := func(lists ...[]string) {
		for _, list := range lists {
			_, _ = hash.Write([]byte(strings.Join(list, "\n") + "\n\n"))
		}
	}
	n := Lists()
	add(n.First, n.Last, n.MailFirst, n.MailLast, n.Companies, n.Streets, n.Cities, n.Countries, n.Words, n.Platforms,
		Domains)
	all, err := Of(benchv1alpha1.LanguageMixed)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range all {
		for i := range language.Lower {
			add([]string{language.Lower[i].text, language.Capital[i].text})
		}
		for _, choice := range language.Draw {
			_, _ = hash.Write([]byte{byte(choice), byte(choice >> 8)})
		}
	}
	const want = "075e6ce3bc07e1e7a7cc7c41c4774e4499e5bd9a65106aadc3c68fa631a1de47"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("hash is %s, not %s", got, want)
	}
}

func TestNamesAreTexts(t *testing.T) {
	n := Lists()
	for what, list := range map[string][]string{
		"first names": n.First, "last names": n.Last, "first names in mails": n.MailFirst,
		"last names in mails": n.MailLast, "companies": n.Companies, "streets": n.Streets, "cities": n.Cities,
		"countries": n.Countries, "words": n.Words, "platforms": n.Platforms,
	} {
		const few, longest = 4, 80
		if len(list) < few {
			t.Errorf("there are %d %s", len(list), what)
		}
		for _, text := range list {
			if text == "" || len(text) > longest || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				t.Errorf("of the %s one is %q", what, text)
			}
		}
	}
}

func TestEveryLanguageHasItsWordsOnce(t *testing.T) {
	for _, language := range mixed {
		all, err := Of(language)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d, error %v", language, len(all), err)
		}
		checkWords(t, language, all[0])
	}
	if _, err := Of("Latin"); err == nil {
		t.Error("a language without words has some")
	}
}

func checkWords(t *testing.T, language benchv1alpha1.Language, w *Words) {
	t.Helper()
	seen, drawn := map[string]bool{}, map[uint16]int{}
	for _, choice := range w.Draw {
		drawn[choice]++
	}
	for i := range w.Lower {
		lower, capital := string(w.Lower[i].Append([]byte("x"))), string(w.Capital[i].Append(nil))
		if seen[lower] || !utf8.ValidString(lower) || lower+capital != "x"+w.Lower[i].text+w.Capital[i].text {
			t.Errorf("%s: word %d is %q and %q", language, i, lower, capital)
		}
		seen[lower] = true
		if max(len(capital), len(lower)-1) > w.Longest {
			t.Errorf("%s: %q is longer than %d bytes", language, capital, w.Longest)
		}
	}
	// What internal/spec/validation counts with.
	const longestWord = 40
	if w.Longest > longestWord {
		t.Errorf("%s: the longest word has %d bytes", language, w.Longest)
	}
	if len(w.Lower) != size || len(w.Draw) != Choices || len(drawn) != size {
		t.Errorf("%s: %d words, %d of which are drawn", language, len(w.Lower), len(drawn))
	}
}
