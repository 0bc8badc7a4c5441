package records_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// read are the documents of a text, in Extended JSON, and the error that ended it, if there was one.
func read(format benchv1alpha1.FileFormat, text string) (documents []string, failure error) {
	reader, err := records.NewReader(format, strings.NewReader(text))
	for err == nil {
		var document bson.Raw
		if document, err = reader.Next(); err == nil {
			documents = append(documents, document.String())
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return documents, err
}

// dumped are documents as mongodump writes them.
func dumped(tb testing.TB, documents ...bson.D) string {
	tb.Helper()
	var text []byte
	for _, document := range documents {
		encoded, err := bson.Marshal(document)
		if err != nil {
			tb.Fatal(err)
		}
		text = append(text, encoded...)
	}
	return string(text)
}

func TestDocumentsAreReadOfEveryFormat(t *testing.T) {
	for name, tc := range map[string]struct {
		format benchv1alpha1.FileFormat
		text   string
		want   []string
	}{
		"CSV, with all that a cell may be": {
			benchv1alpha1.FormatCSV,
			"\xef\xbb\xbfid, address.city,code,address.zip\n1,\"Ulm, \"\"old\"\"\",007,-12.5\n" +
				"5000000000,,1_000,1e2\n0x1f,\"two\nlines\",-,0.5\n",
			[]string{
				`{"id": {"$numberInt":"1"},"address": {"city": "Ulm, \"old\"","zip": {"$numberDouble":"-12.5"}},"code": "007"}`,
				`{"id": {"$numberLong":"5000000000"},"code": "1_000","address": {"zip": {"$numberDouble":"100.0"}}}`,
				`{"id": "0x1f","address": {"city": "two\nlines","zip": {"$numberDouble":"0.5"}},"code": "-"}`,
			},
		},
		"NDJSON, without an end of the last line": {
			benchv1alpha1.FormatNDJSON,
			"{\"a\": 1, \"b\": {\"$oid\": \"0123456789abcdef01234567\"}}\r\n\n  {\"c\": [1.5, null]}",
			[]string{
				`{"a": {"$numberInt":"1"},"b": {"$oid":"0123456789abcdef01234567"}}`,
				`{"c": [{"$numberDouble":"1.5"},null]}`,
			},
		},
		"BSON": {
			benchv1alpha1.FormatBSON,
			dumped(t, bson.D{{Key: "a", Value: "x"}}, bson.D{}, bson.D{{Key: "b", Value: true}}),
			[]string{`{"a": "x"}`, `{}`, `{"b": true}`},
		},
		"nothing": {benchv1alpha1.FormatBSON, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(tc.format, tc.text)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("error %v, documents (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestWhatCannotBeReadIsSaidWithItsPlace(t *testing.T) {
	good := dumped(t, bson.D{{Key: "a", Value: 1}})
	for want, tc := range map[string]struct {
		format benchv1alpha1.FileFormat
		text   string
	}{
		"line 3: ":                                        {benchv1alpha1.FormatNDJSON, "{}\n\n{\"a\": }\n"},
		"line 2: it is longer than 64 MiB":                {benchv1alpha1.FormatNDJSON, "{}\n" + strings.Repeat(" ", 65<<20)},
		"record on line 3: wrong number of fields":        {benchv1alpha1.FormatCSV, "a,b\n1,2\n1,2,3\n"},
		"line 2, column 3: ":                              {benchv1alpha1.FormatCSV, "a,b\n\"x\"y,1\n"},
		"line 1: column 2 has no name":                    {benchv1alpha1.FormatCSV, "a,,b\n"},
		`line 1: columns "a" and "a.b" want the same`:     {benchv1alpha1.FormatCSV, "a,a.b\n"},
		`line 2: column "b" is not in UTF-8`:              {benchv1alpha1.FormatCSV, "a,b\nx,\xff\n"},
		"it has no first line with the names":             {benchv1alpha1.FormatCSV, ""},
		"byte 12: the file ends within a document":        {benchv1alpha1.FormatBSON, good + good[:7]},
		"byte 12: a document cannot take 134777631 bytes": {benchv1alpha1.FormatBSON, good + "\x1f\x8b\x08\x08"},
		"byte 0: a document cannot take 4 bytes":          {benchv1alpha1.FormatBSON, "\x04\x00\x00\x00"},
		"byte 0: the file ends within a document":         {benchv1alpha1.FormatBSON, "\xff\xff\xff\x00"},
		`format "XML" is not known`:                       {"XML", ""},
	} {
		if _, err := read(tc.format, tc.text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzReader reads anything in any format: it ends, with documents that can be looked into.
func FuzzReader(f *testing.F) {
	f.Add(uint8(0), []byte("a,b.c\n1,\"x\ny\"\n"))
	f.Add(uint8(1), []byte("{\"a\": {\"$date\": {\"$numberLong\": \"5\"}}}\n{}"))
	f.Add(uint8(2), []byte(dumped(f, bson.D{{Key: "a", Value: bson.A{1, "x"}}})))
	formats := []benchv1alpha1.FileFormat{
		benchv1alpha1.FormatCSV, benchv1alpha1.FormatNDJSON, benchv1alpha1.FormatBSON,
	}
	f.Fuzz(func(t *testing.T, format uint8, content []byte) {
		reader, err := records.NewReader(formats[int(format)%len(formats)], bytes.NewReader(content))
		table := records.NewTable("fuzzed", []string{records.Whole, "_id", "a", "a.b"})
		for number := int64(0); err == nil; number++ {
			var document bson.Raw
			if document, err = reader.Next(); err == nil {
				wantKept(t, table, document, number)
			}
		}
	})
}

// wantKept adds a document to a table, and wants it to be there.
func wantKept(t *testing.T, table *records.Table, document bson.Raw, number int64) {
	t.Helper()
	if err := errors.Join(document.Validate(), table.Add(document)); err != nil {
		t.Fatalf("document %d: %v", number, err)
	}
	kind, whole := table.AppendValue(nil, 0, number)
	if kind != byte(bson.TypeEmbeddedDocument) || !bytes.Equal(whole, document) {
		t.Fatalf("document %d is kept as another", number)
	}
}
