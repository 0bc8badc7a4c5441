package validation

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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
		sum = sum.plus(value).plus(fixed(int64(len(declared.Name)) + keyExtraBytes))
	}
	return sum
}

func nestedSize(document *benchv1alpha1.DocumentGenerator) sizes {
	sum := fixed(frameBytes)
	for i := range document.Fields {
		name := fixed(int64(len(document.Fields[i].Name)) + keyExtraBytes)
		sum = sum.plus(generatorSize(&document.Fields[i].Generator)).plus(name)
	}
	return sum
}

func arraySize(array *benchv1alpha1.ArrayGenerator) sizes {
	element := generatorSize(&array.Element.Generator)
	if array.Element.Document != nil {
		element = nestedSize(array.Element.Document)
	}
	element = element.plus(fixed(keyExtraBytes + indexNameBytes))
	least, largest := int64(*array.MinItems), int64(array.MaxItems)
	return sizes{
		smallest: frameBytes + element.smallest*least,
		mean:     frameBytes + element.mean*(least+largest)/2,
		largest:  frameBytes + element.largest*largest,
	}
}

func generatorSize(generator *benchv1alpha1.Generator) sizes {
	switch generator.Type {
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		least, largest := int64(*generator.Bytes.MinLength), int64(*generator.Bytes.MaxLength)
		return sizes{least, (least + largest) / 2, largest}.plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorSerial:
		prefix, digits := int64(len(*generator.Serial.Prefix)), int64(*generator.Serial.Digits)
		return sizes{prefix + digits, prefix + max(digits, serialDigits), prefix + max(digits, serialDigits)}.
			plus(fixed(lengthBytes))
	default:
		return fixed(scalarBytes)
	}
}
