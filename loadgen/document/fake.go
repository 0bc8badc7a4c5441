package document

import (
	"fmt"
	"math/bits"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/vocabulary"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// fakeMaker makes texts that look like those of applications.
type fakeMaker struct {
	stream stream.Stream
	names  *vocabulary.Names
	write  func(dst []byte, n *vocabulary.Names, p stream.Point) []byte
}

// The random values of a point that say what a person is called, and so on. Two fakes of one seed have the same, so a
// name and a mail address are of one person.
const (
	drawFirst = iota + 1
	drawLast
	drawNumber
	drawDomain
	drawStreet
	drawCity
	drawCountry
	drawCompany
	drawPhone
	drawPath
	drawAgent
	drawHost
)

var fakes = map[benchv1alpha1.FakeKind]func(dst []byte, n *vocabulary.Names, p stream.Point) []byte{
	benchv1alpha1.FakeName: func(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
		dst = append(append(dst, pick(n.First, p.Value(drawFirst))...), ' ')
		return append(dst, pick(n.Last, p.Value(drawLast))...)
	},
	benchv1alpha1.FakeFirstName: func(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
		return append(dst, pick(n.First, p.Value(drawFirst))...)
	},
	benchv1alpha1.FakeLastName: func(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
		return append(dst, pick(n.Last, p.Value(drawLast))...)
	},
	benchv1alpha1.FakeCompany: func(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
		return append(dst, pick(n.Companies, p.Value(drawCompany))...)
	},
	benchv1alpha1.FakeCity: func(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
		return append(dst, pick(n.Cities, p.Value(drawCity))...)
	},
	benchv1alpha1.FakeCountry: func(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
		return append(dst, pick(n.Countries, p.Value(drawCountry))...)
	},
	benchv1alpha1.FakeEmail:     appendEmail,
	benchv1alpha1.FakePhone:     appendPhone,
	benchv1alpha1.FakeAddress:   appendAddress,
	benchv1alpha1.FakeURL:       appendURL,
	benchv1alpha1.FakeUserAgent: appendUserAgent,
	benchv1alpha1.FakeIPv4:      appendIPv4,
}

func fake(c compiler, v planv1.Value) (maker, error) {
	write, ok := fakes[v.Fake]
	if !ok {
		return nil, fmt.Errorf("there is no Fake of kind %q", v.Fake)
	}
	// Without the label of the collection and the type: what has the same seed belongs together.
	return &fakeMaker{stream: c.stream(v), names: vocabulary.Lists(), write: write}, nil
}

func (m *fakeMaker) make(dst []byte, at place) (byte, []byte) {
	start := len(dst)
	dst = m.write(append(dst, 0, 0, 0, 0), m.names, (&source{stream: m.stream}).point(at))
	return byte(bson.TypeString), closeText(dst, start)
}

// mostFake is longer than any fake; a test looks at the longest names.
const mostFake = 256

func (m *fakeMaker) most() int64 { return mostFake }

// pick chooses one of a list by a random value.
func pick[T any](list []T, random uint64) T {
	item, _ := bits.Mul64(random, uint64(len(list)))
	return list[item]
}

// number is one of n by a random value, from low on.
func number(random, low, n uint64) uint64 {
	item, _ := bits.Mul64(random, n)
	return low + item
}

func appendEmail(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
	dst = append(append(dst, pick(n.MailFirst, p.Value(drawFirst))...), '.')
	dst = append(dst, pick(n.MailLast, p.Value(drawLast))...)
	dst = strconv.AppendUint(dst, number(p.Value(drawNumber), 1, 9999), 10)
	return append(append(dst, '@'), pick(vocabulary.Domains, p.Value(drawDomain))...)
}

// appendPhone makes numbers of the exchange 555, and so of nobody.
func appendPhone(dst []byte, _ *vocabulary.Names, p stream.Point) []byte {
	random := p.Value(drawPhone)
	dst = strconv.AppendUint(append(dst, "+1-"...), number(random, 200, 800), 10)
	line := number(stream.Mix(random), 10_000, 10_000) // Its four last digits, with zeros in front.
	start := len(dst) + len("-555")
	dst = strconv.AppendUint(append(dst, "-555"...), line, 10)
	dst[start] = '-'
	return dst
}

func appendAddress(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
	random := p.Value(drawStreet)
	dst = strconv.AppendUint(dst, number(stream.Mix(random), 1, 999), 10)
	dst = append(append(append(dst, ' '), pick(n.Streets, random)...), ", "...)
	dst = append(append(dst, pick(n.Cities, p.Value(drawCity))...), ", "...)
	return append(dst, pick(n.Countries, p.Value(drawCountry))...)
}

func appendURL(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
	random := p.Value(drawPath)
	dst = append(append(dst, "https://www."...), pick(vocabulary.Domains, p.Value(drawDomain))...)
	dst = append(append(dst, '/'), pick(n.Words, random)...)
	dst = append(append(dst, '/'), pick(n.Words, stream.Mix(random))...)
	return strconv.AppendUint(append(dst, '/'), number(p.Value(drawNumber), 1, 999_999), 10)
}

func appendUserAgent(dst []byte, n *vocabulary.Names, p stream.Point) []byte {
	random := p.Value(drawAgent)
	version := number(stream.Mix(random), 100, 40)
	dst = append(append(dst, "Mozilla/5.0 ("...), pick(n.Platforms, random)...)
	if version&1 == 0 {
		dst = strconv.AppendUint(append(dst, "; rv:"...), version, 10)
		return append(strconv.AppendUint(append(dst, ".0) Gecko/20100101 Firefox/"...), version, 10), ".0"...)
	}
	dst = append(dst, ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"...)
	return append(strconv.AppendUint(dst, version, 10), ".0.0.0 Safari/537.36"...)
}

// appendIPv4 makes addresses of hosts: none that begins with 0 or is of a group.
func appendIPv4(dst []byte, _ *vocabulary.Names, p stream.Point) []byte {
	random := p.Value(drawHost)
	dst = strconv.AppendUint(dst, number(random, 1, 223), 10)
	for shift := 0; shift < 16; shift += 8 {
		dst = strconv.AppendUint(append(dst, '.'), random>>shift&0xff, 10)
	}
	return strconv.AppendUint(append(dst, '.'), 1+random>>16&0xff%254, 10)
}
