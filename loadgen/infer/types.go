package infer

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// decimals are the numbers of type Decimal128, as whole numbers with an exponent of ten.
type decimals struct {
	numbers   []int64
	exponents []int
	// unusable are no numbers, or have more digits than can be generated.
	unusable int64
}

// The most digits of a Decimal128 that can be generated, and the number that has one more.
const (
	mostDigits = 18
	tooLarge   = 1_000_000_000_000_000_000
)

func (d *decimals) add(value bson.Decimal128) {
	number, exponent, err := value.BigInt()
	if err != nil || !number.IsInt64() || exponent < -mostDigits || exponent > mostDigits {
		d.unusable++
		return
	}
	d.numbers = append(d.numbers, number.Int64())
	d.exponents = append(d.exponents, exponent)
}

// scaled are the numbers in units of the smallest digit that any of them has, and how many digits that is after the
// point.
func (d *decimals) scaled() (numbers []int64, scale int) {
	for _, exponent := range d.exponents {
		scale = max(scale, -exponent)
	}
	for i, number := range d.numbers {
		for range scale + d.exponents[i] {
			if number >= tooLarge/10 || number <= -tooLarge/10 {
				number = 0
				d.unusable++
				break
			}
			number *= 10
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers, scale
}

// decimal128 declares decimal numbers with as many digits after the point as those of the sample.
func decimal128(i *inference, path string, n *node) benchv1alpha1.Generator {
	g := benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDecimal}
	numbers, scale := n.decimals.scaled()
	if n.decimals.unusable > 0 {
		i.note(path, "is no number with at most %d digits in %s of the documents; of the generated ones in none",
			mostDigits, percent(n.decimals.unusable, n.seen))
	}
	if len(numbers) == 0 {
		return g
	}
	least, largest := numbers[0], numbers[len(numbers)-1]
	if values := floats(numbers); !uniform(values, float64(least), float64(largest)-float64(least)+1, true) {
		i.note(path, "is not evenly distributed; the generated values are")
	}
	g.Decimal = &benchv1alpha1.DecimalSettings{
		Min: new(withPoint(least, scale)), Max: new(withPoint(largest, scale)), Scale: new(int32(scale)),
	}
	return g
}

// withPoint writes a whole number with a point before its last digits, and no zeros that say nothing.
func withPoint(number int64, scale int) string {
	digits := strconv.FormatInt(max(number, -number), 10)
	digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
	text := digits[:len(digits)-scale]
	if fraction := strings.TrimRight(digits[len(digits)-scale:], "0"); fraction != "" {
		text += "." + fraction
	}
	if number < 0 {
		text = "-" + text
	}
	return text
}

// point reads a GeoJSON point, and nothing that has other members.
func point(document bson.Raw) (longitude, latitude float64, ok bool) {
	elements, err := document.Elements()
	kind, isText := document.Lookup("type").StringValueOK()
	coordinates, isArray := document.Lookup("coordinates").ArrayOK()
	if err != nil || len(elements) != 2 || !isText || kind != "Point" || !isArray {
		return 0, 0, false
	}
	values, err := coordinates.Values()
	if err != nil || len(values) != 2 {
		return 0, 0, false
	}
	longitude, isLongitude := values[0].AsFloat64OK()
	latitude, isLatitude := values[1].AsFloat64OK()
	return longitude, latitude, isLongitude && isLatitude && math.Abs(longitude) <= 180 && math.Abs(latitude) <= 90
}

// points are the GeoJSON points of a place in the documents.
type points struct {
	seen                     int64
	west, east, south, north float64
}

func (p *points) add(document bson.Raw) {
	longitude, latitude, ok := point(document)
	if !ok {
		return
	}
	if p.seen == 0 {
		p.west, p.east, p.south, p.north = longitude, longitude, latitude, latitude
	}
	p.seen++
	p.west, p.east = min(p.west, longitude), max(p.east, longitude)
	p.south, p.north = min(p.south, latitude), max(p.north, latitude)
}

// arePoints says whether all documents there are GeoJSON points.
func (n *node) arePoints() bool {
	return n.points.seen > 0 && n.points.seen == n.types[bson.TypeEmbeddedDocument]
}

// geoPoint declares points in the box of those of the sample, in whole tenths of a degree: that is about 10 km, and so
// tells nobody's place.
func geoPoint(i *inference, path string, n *node) benchv1alpha1.Generator {
	const tenths = 10
	down := func(angle float64) *string { return new(decimal(math.Floor(angle*tenths) / tenths)) }
	up := func(angle float64) *string { return new(decimal(math.Ceil(angle*tenths) / tenths)) }
	i.note(path, "holds points; the generated ones are spread evenly over their box, unless you set geo.clusters")
	return benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorGeoPoint,
		ValueSettings: benchv1alpha1.ValueSettings{Geo: &benchv1alpha1.GeoSettings{
			MinLongitude: down(n.points.west), MaxLongitude: up(n.points.east),
			MinLatitude: down(n.points.south), MaxLatitude: up(n.points.north),
		}},
	}
}

// The fewest and the most elements of arrays that are taken for vectors.
const fewestDimensions, mostDimensions = 32, 4096

// areVectors says whether all arrays there are as long as one another and hold doubles alone, of which some are below
// zero, as those of embeddings are and those of measured quantities hardly ever.
func (n *node) areVectors() (dimensions int64, ok bool) {
	lengths := n.lengths[bson.TypeArray]
	least, largest := slices.Min(lengths), slices.Max(lengths)
	doubles := n.elements.types[bson.TypeDouble] == n.elements.seen && len(n.elements.doubles) > 0
	return largest, doubles && least == largest && least >= fewestDimensions && largest <= mostDimensions &&
		slices.Min(n.elements.doubles) < 0
}

func vector(i *inference, path string, dimensions int64) benchv1alpha1.Generator {
	i.note(path, "holds vectors; the generated ones gather around points of their own: see vector.clusters")
	return benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorVector,
		ValueSettings: benchv1alpha1.ValueSettings{
			Vector: &benchv1alpha1.VectorSettings{Dimensions: int32(dimensions)},
		},
	}
}

// timestamp declares times with the least and the latest second of the sample.
func timestamp(i *inference, path string, n *node) benchv1alpha1.Generator {
	g := i.date(path, n)
	g.Type = benchv1alpha1.GeneratorTimestamp
	return g
}

// fromNow has dates lie as far from the load as they lie from the instant at which the sample was taken.
func fromNow(now time.Time, first, last int64) *benchv1alpha1.DateSettings {
	seconds := func(instant int64) *int64 {
		return new(int64(math.Round(time.UnixMilli(instant).Sub(now).Seconds())))
	}
	return &benchv1alpha1.DateSettings{MinOffsetSeconds: seconds(first), MaxOffsetSeconds: seconds(last)}
}

// looks are what texts look like that a Fake makes, in the order in which they are tried.
var looks = []struct {
	kind    benchv1alpha1.FakeKind
	pattern *regexp.Regexp
}{
	{benchv1alpha1.FakeEmail, regexp.MustCompile(`^[^@\s]+@[^@\s]+\.\pL+$`)},
	{benchv1alpha1.FakeURL, regexp.MustCompile(`^https?://\S+$`)},
	{benchv1alpha1.FakeIPv4, regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,3}){3}$`)},
	{benchv1alpha1.FakeUserAgent, regexp.MustCompile(`^(Mozilla|Opera)/[0-9.]+ \(`)},
	{benchv1alpha1.FakePhone, regexp.MustCompile(`^\+[0-9]{1,3}[-0-9 ()/]{6,18}$`)},
	{benchv1alpha1.FakeAddress, regexp.MustCompile(`^[0-9]{1,5} [^,]*\pL[^,]*, [^,]*\pL[^,]*(, [^,]*\pL[^,]*)+$`)},
	{benchv1alpha1.FakeName, regexp.MustCompile(`^\p{Lu}[\pL'-]+( \p{Lu}[\pL'.-]*){1,2}$`)},
}

// texts are what strings look like: how many like each Fake, and like sentences with how many words.
type texts struct {
	seen  int64
	like  map[benchv1alpha1.FakeKind]int64
	words []int64
	// letters of each script, and of those that tell languages with Latin letters apart.
	letters map[string]int64
}

// mostLooked of the texts are looked at closely; it takes no more to tell what they are.
const mostLooked = 2000

func (x *texts) add(text string) {
	if x.seen >= mostLooked || len(text) == 0 {
		return
	}
	if x.like == nil {
		x.like, x.letters = map[benchv1alpha1.FakeKind]int64{}, map[string]int64{}
	}
	x.seen++
	for _, look := range looks {
		if look.pattern.MatchString(text) {
			x.like[look.kind]++
			break
		}
	}
	x.addWords(text)
}

// scripts are the scripts of the languages that words can be generated of, but for Latin.
var scripts = map[benchv1alpha1.Language]*unicode.RangeTable{
	benchv1alpha1.LanguageRussian: unicode.Cyrillic, benchv1alpha1.LanguageGreek: unicode.Greek,
	benchv1alpha1.LanguageChinese: unicode.Han,
}

// addWords counts words: what stands between spaces and is mostly letters; in Chinese two signs are one.
func (x *texts) addWords(text string) {
	var words, signs, wordless int64
	for part := range strings.FieldsSeq(text) {
		letters := 0
		for _, r := range part {
			if unicode.Is(unicode.Han, r) {
				signs++
			} else if unicode.IsLetter(r) {
				letters++
			}
			x.addLetter(r)
		}
		switch {
		case letters > 0 && 2*letters >= len([]rune(part)):
			words++
		case signs == 0:
			wordless++
		}
	}
	const fewest, signsPerWord = 3, 2
	if words += signs / signsPerWord; words >= fewest && words > wordless {
		x.words = append(x.words, words)
	}
}

func (x *texts) addLetter(r rune) {
	for language, script := range scripts {
		if unicode.Is(script, r) {
			x.letters[string(language)]++
		}
	}
	switch {
	case strings.ContainsRune("äöüßÄÖÜ", r):
		x.letters[string(benchv1alpha1.LanguageGerman)]++
	case strings.ContainsRune("éèêàçùîôâœ", r):
		x.letters[string(benchv1alpha1.LanguageFrench)]++
	case unicode.Is(unicode.Latin, r):
		x.letters[string(benchv1alpha1.LanguageEnglish)]++
	}
}

// mostly is whether nearly all of the texts are of a kind.
func (x *texts) mostly(count int64) bool {
	return x.seen > 0 && 10*count >= 9*x.seen
}

// language is that of most letters, or Mixed where several scripts have many. Of Latin letters one in a hundred with a
// sign tells German and French.
func (x *texts) language() benchv1alpha1.Language {
	best, most := benchv1alpha1.LanguageEnglish, x.letters[string(benchv1alpha1.LanguageEnglish)]
	const share = 100
	all := most
	for _, other := range []benchv1alpha1.Language{
		benchv1alpha1.LanguageRussian, benchv1alpha1.LanguageGreek, benchv1alpha1.LanguageChinese,
	} {
		count := x.letters[string(other)]
		all += count
		if count > most {
			best, most = other, count
		}
	}
	if 5*most < 4*all { // More than a fifth has another script.
		return benchv1alpha1.LanguageMixed
	}
	german, french := x.letters[string(benchv1alpha1.LanguageGerman)], x.letters[string(benchv1alpha1.LanguageFrench)]
	if best == benchv1alpha1.LanguageEnglish && share*max(german, french) > most {
		best = benchv1alpha1.LanguageGerman
		if french > german {
			best = benchv1alpha1.LanguageFrench
		}
	}
	return best
}

// readable declares texts that people read: what looks like a Fake, or sentences.
func readable(i *inference, path string, n *node) (g benchv1alpha1.Generator, ok bool) {
	for _, look := range looks {
		if n.texts.mostly(n.texts.like[look.kind]) {
			return benchv1alpha1.Generator{
				Type: benchv1alpha1.GeneratorFake, ValueSettings: benchv1alpha1.ValueSettings{Fake: &look.kind},
			}, true
		}
	}
	if !n.texts.mostly(int64(len(n.texts.words))) {
		return g, false
	}
	least, largest, cut := middle(n.texts.words)
	if cut {
		i.note(path, "has from %d to %d words that lean to one end; the generated ones have the same mean and are even",
			slices.Min(n.texts.words), slices.Max(n.texts.words))
	}
	const mostWords = 100_000
	settings := &benchv1alpha1.WordsSettings{
		MinWords: new(int32(min(least, mostWords))), MaxWords: new(int32(min(largest, mostWords))),
	}
	if language := n.texts.language(); language != benchv1alpha1.LanguageEnglish {
		settings.Language = &language
	}
	return benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorWords, ValueSettings: benchv1alpha1.ValueSettings{Words: settings},
	}, true
}
