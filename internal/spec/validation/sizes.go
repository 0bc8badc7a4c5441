package validation

import (
	"slices"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// maxDocumentBytes is what a BSON document may take (https://www.mongodb.com/docs/manual/reference/limits/).
const maxDocumentBytes = int64(16) << 20

// Parts of a document as the BSON specification defines them (https://bsonspec.org/spec.html).
const (
	scalarBytes    = 8  // the most common size of a value; those of 1, 4, 12 or 16 bytes do not change an estimate
	frameBytes     = 5  // the length in front of a document and the zero behind it
	keyExtraBytes  = 2  // an element's type and the zero that ends its name
	lengthBytes    = 5  // the length in front of a string and the zero behind it, or a binary's length and subtype
	indexNameBytes = 3  // the name of an array's element, its index in decimal
	serialDigits   = 19 // the decimal digits of a hash of 63 bits
	pointBytes     = 61 // a GeoJSON point

	// Words with the space after them, and fakes, in bytes; longestWord and longestFake are those of loadgen/document.
	shortestWord, meanWord, longestWord = 2, 7, 40
	meanFake, longestFake               = 24, 256
)

// sizes are estimates of how many bytes a value takes.
type sizes struct {
	smallest, mean, largest int64
}

func fixed(bytes int64) sizes {
	return sizes{bytes, bytes, bytes}
}

func (s sizes) plus(other sizes) sizes {
	return sizes{s.smallest + other.smallest, s.mean + other.mean, s.largest + other.largest}
}

// documentSize estimates the size of a collection's documents; an _id that is not declared counts as well.
func documentSize(fields []benchv1alpha1.Field) sizes {
	sum := fixed(frameBytes + scalarBytes + keyExtraBytes + int64(len(idField)))
	for i := range fields {
		declared := &fields[i]
		value := generatorSize(&declared.Generator)
		switch {
		case declared.Document != nil:
			value = nestedSize(declared.Document)
		case declared.Array != nil:
			value = arraySize(declared.Array)
		}
		sum = sum.plus(memberSize(declared.Name, value, declared.PresencePercent, declared.NullPercent))
	}
	return sum
}

// memberSize is the size of a field with its name. In the arrays that brackets in the name make it comes more than
// once, and in a document without it takes nothing.
func memberSize(name string, value sizes, presence, null *int32) sizes {
	const all = 100
	values := int64(all - *null)
	value.smallest, value.mean = value.smallest*(values/all), value.mean*values/all
	path, arrays, err := spec.ArraysIn(name)
	size := value.plus(fixed(int64(len(path)) + keyExtraBytes))
	if present := int64(*presence); present < all {
		size.smallest, size.mean = 0, size.mean*present/all
	}
	for _, array := range slices.Backward(arrays) {
		if err == nil && !array.Empty {
			size = repeated(size, array.Least, array.Most)
		}
	}
	return size
}

// repeated is the size of an array of a number of values.
func repeated(element sizes, least, largest int64) sizes {
	element = element.plus(fixed(keyExtraBytes + indexNameBytes))
	return sizes{
		smallest: frameBytes + element.smallest*least,
		mean:     frameBytes + element.mean*(least+largest)/2,
		largest:  frameBytes + element.largest*largest,
	}
}

func nestedSize(document *benchv1alpha1.DocumentGenerator) sizes {
	sum := fixed(frameBytes)
	for i := range document.Fields {
		declared := &document.Fields[i]
		sum = sum.plus(memberSize(declared.Name, generatorSize(&declared.Generator), declared.PresencePercent,
			declared.NullPercent))
	}
	return sum
}

func arraySize(array *benchv1alpha1.ArrayGenerator) sizes {
	element := generatorSize(&array.Element.Generator)
	if array.Element.Document != nil {
		element = nestedSize(array.Element.Document)
	}
	return repeated(element, int64(*array.MinItems), int64(array.MaxItems))
}

func generatorSize(generator *benchv1alpha1.Generator) sizes {
	switch generator.Type {
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary, benchv1alpha1.GeneratorRegex:
		least, largest := int64(*generator.Bytes.MinLength), int64(*generator.Bytes.MaxLength)
		return sizes{least, (least + largest) / 2, largest}.plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorSerial:
		prefix, digits := int64(len(*generator.Serial.Prefix)), int64(*generator.Serial.Digits)
		return sizes{prefix + digits, prefix + max(digits, serialDigits), prefix + max(digits, serialDigits)}.
			plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorWords:
		least, largest := int64(*generator.Words.MinWords), int64(*generator.Words.MaxWords)
		return sizes{shortestWord * least, meanWord * (least + largest) / 2, longestWord * largest}.plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorFake:
		return sizes{shortestWord, meanFake, longestFake}.plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorFromFile:
		return sizes{1, meanFake, longestFake}.plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorGeoPoint:
		return fixed(pointBytes)
	case benchv1alpha1.GeneratorVector:
		return vectorSize(ptr.Deref(generator.Vector, benchv1alpha1.VectorSettings{}))
	default:
		return fixed(scalarBytes)
	}
}

// vectorSize is that of an array of doubles, or of binary numbers half as long.
func vectorSize(declared benchv1alpha1.VectorSettings) sizes {
	dimensions := int64(declared.Dimensions)
	if ptr.Deref(declared.Form, "") == benchv1alpha1.VectorFloat32 {
		return fixed(scalarBytes + dimensions*scalarBytes/2)
	}
	return repeated(fixed(scalarBytes), dimensions, dimensions)
}
