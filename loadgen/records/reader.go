package records

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// maxDocument is the longest document that MongoDB takes, and maxLine the longest line that one is written in.
	maxDocument, maxLine = 16 << 20, 4 * maxDocument
	// leastDocument is a document without fields: its length and the zero at its end.
	leastDocument = 5
)

// Reader reads one document after another.
type Reader interface {
	// Next is the next document, valid until the one after it is asked for; io.EOF is the end. Any other error says where
	// it is.
	Next() (bson.Raw, error)
}

// NewReader reads a file of a format.
func NewReader(format benchv1alpha1.FileFormat, from io.Reader) (Reader, error) {
	switch format {
	case benchv1alpha1.FormatCSV:
		return newCSV(from)
	case benchv1alpha1.FormatNDJSON:
		return &ndjson{lines: bufio.NewReaderSize(from, 1<<20)}, nil
	case benchv1alpha1.FormatBSON:
		return &raw{from: bufio.NewReaderSize(from, 1<<20)}, nil
	default:
		return nil, fmt.Errorf("format %q is not known", format)
	}
}

// ndjson has a document of Extended JSON in each line; empty lines are passed over.
type ndjson struct {
	lines *bufio.Reader
	line  int
	text  []byte
}

func (r *ndjson) Next() (bson.Raw, error) {
	for {
		text, err := r.next()
		if err != nil {
			return nil, err
		}
		if len(text) == 0 {
			continue
		}
		var document bson.Raw
		if err := bson.UnmarshalExtJSON(text, false, &document); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
		if len(document) > maxDocument {
			return nil, fmt.Errorf("line %d: the document takes %d bytes, more than the 16 MiB that there may be", r.line,
				len(document))
		}
		return document, nil
	}
}

// next is the text of the next line, without spaces around it.
func (r *ndjson) next() ([]byte, error) {
	r.text = r.text[:0]
	r.line++
	for {
		part, err := r.lines.ReadSlice('\n')
		r.text = append(r.text, part...)
		switch {
		case len(r.text) > maxLine:
			return nil, fmt.Errorf("line %d: it is longer than %d MiB", r.line, maxLine>>20)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.text) > 0, err == nil:
			return bytes.TrimSpace(r.text), nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}

// raw has documents of BSON one after another.
type raw struct {
	from     *bufio.Reader
	at       int64
	document []byte
}

func (r *raw) Next() (bson.Raw, error) {
	var length [4]byte
	read, err := io.ReadFull(r.from, length[:])
	if err != nil {
		if read == 0 && errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("byte %d: the file ends within a document", r.at)
	}
	size := int64(binary.LittleEndian.Uint32(length[:]))
	if size < leastDocument || size > maxDocument {
		return nil, fmt.Errorf("byte %d: a document cannot take %d bytes; is the file BSON, and not compressed?", r.at, size)
	}
	r.document = append(r.document[:0], length[:]...)
	// What is not there takes no memory.
	rest := &io.LimitedReader{R: r.from, N: size - int64(len(length))}
	buffer := bytes.NewBuffer(r.document)
	if _, err := buffer.ReadFrom(rest); err != nil {
		return nil, fmt.Errorf("byte %d: %w", r.at, err)
	}
	r.document = buffer.Bytes()
	if int64(len(r.document)) < size {
		return nil, fmt.Errorf("byte %d: the file ends within a document", r.at)
	}
	if err := Damage(r.document); err != nil {
		return nil, fmt.Errorf("byte %d: %w", r.at, err)
	}
	r.at += size
	return r.document, nil
}

// csvFile has a line of names first. Names with dots make nested documents.
type csvFile struct {
	lines *csv.Reader
	names []string
}

func newCSV(from io.Reader) (Reader, error) {
	lines := csv.NewReader(skipMark(from))
	names, err := lines.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it has no first line with the names of the columns")
	case err != nil:
		return nil, fmt.Errorf("reading the names of the columns: %w", err)
	}
	for i, name := range names {
		name = strings.TrimSpace(name)
		if slices.Contains(strings.Split(name, "."), "") || strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
			return nil, fmt.Errorf("line 1: column %d has no name", i+1)
		}
		names[i] = name
		for _, other := range names[:i] {
			if other == name || strings.HasPrefix(other, name+".") || strings.HasPrefix(name, other+".") {
				return nil, fmt.Errorf("line 1: columns %q and %q want the same place", other, name)
			}
		}
	}
	lines.ReuseRecord = true
	return &csvFile{lines: lines, names: names}, nil
}

// skipMark leaves out the mark of UTF-8 that spreadsheets write.
func skipMark(from io.Reader) io.Reader {
	buffered := bufio.NewReaderSize(from, 1<<20)
	if start, _ := buffered.Peek(3); string(start) == "\xef\xbb\xbf" {
		_, _ = buffered.Discard(3)
	}
	return buffered
}

func (r *csvFile) Next() (bson.Raw, error) {
	cells, err := r.lines.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, err // It says in which line.
	}
	root := bson.D{}
	for i, cell := range cells {
		if !utf8.ValidString(cell) {
			line, _ := r.lines.FieldPos(i)
			return nil, fmt.Errorf("line %d: column %q is not in UTF-8", line, r.names[i])
		}
		if cell != "" {
			root = set(root, r.names[i], value(cell))
		}
	}
	document, err := bson.Marshal(root)
	if err != nil {
		line, _ := r.lines.FieldPos(0)
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return document, nil
}

// set puts a value at a name with dots.
func set(document bson.D, name string, value any) bson.D {
	first, rest, more := strings.Cut(name, ".")
	if !more {
		return append(document, bson.E{Key: name, Value: value})
	}
	for i := range document {
		if inner, ok := document[i].Value.(bson.D); ok && document[i].Key == first {
			document[i].Value = set(inner, rest, value)
			return document
		}
	}
	return append(document, bson.E{Key: first, Value: set(bson.D{}, rest, value)})
}

// value is what a cell holds: a number where it is written as one, and text otherwise, as a code with leading zeros is.
func value(cell string) any {
	digits := strings.TrimPrefix(cell, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return cell
	}
	if number, err := strconv.ParseInt(cell, 10, 64); err == nil {
		if int64(int32(number)) == number {
			return int32(number)
		}
		return number
	}
	// 0x1p4, 1_000 and 1e400 are texts.
	if strings.Trim(digits, "0123456789.eE+-") != "" {
		return cell
	}
	if number, err := strconv.ParseFloat(cell, 64); err == nil {
		return number
	}
	return cell
}
