package strictjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Encode writes a value as JSON without indentation or a line break at the end. Characters of HTML stay as they are, so
// that a filter such as {"a":{"$gt":1}} can be read in a ConfigMap.
func Encode(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding JSON: %w", err)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// Decode reads one JSON value into a pointer. A field that the type does not have is an error, and so is anything after
// the value.
func Decode(encoded []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	return one(decoder, into)
}

// DecodeKnown is Decode for what has been done already and cannot be done again, such as a measurement: a field that
// the type does not have is passed over, since its writer may be of a later release.
func DecodeKnown(encoded []byte, into any) error {
	return one(json.NewDecoder(bytes.NewReader(encoded)), into)
}

// one reads the one value that there is.
func one(decoder *json.Decoder, into any) error {
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("decoding JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("decoding JSON: there is something after the value")
	}
	return nil
}

// DecodeVersioned is Decode for a document that names its version: any other than the wanted one is an error that says
// so, rather than one about whichever field happens to differ.
func DecodeVersioned(encoded []byte, wantVersion string, into any) error {
	if err := checkVersion(encoded, wantVersion); err != nil {
		return err
	}
	return Decode(encoded, into)
}

// DecodeKnownVersioned is DecodeKnown for a document that names its version.
func DecodeKnownVersioned(encoded []byte, wantVersion string, into any) error {
	if err := checkVersion(encoded, wantVersion); err != nil {
		return err
	}
	return DecodeKnown(encoded, into)
}

func checkVersion(encoded []byte, wantVersion string) error {
	var header struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(encoded, &header); err != nil {
		return fmt.Errorf("decoding JSON: %w", err)
	}
	if header.Version != wantVersion {
		return fmt.Errorf("version is %q, want %q: writer and reader are of different releases", header.Version, wantVersion)
	}
	return nil
}

// EncodeCompressed is Encode, compressed with gzip.
func EncodeCompressed(value any) ([]byte, error) {
	plain, err := Encode(value)
	if err != nil {
		return nil, err
	}
	return Compress(plain)
}

// Compress compresses a text with gzip.
func Compress(plain []byte) ([]byte, error) {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	if _, err := writer.Write(plain); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	return buffer.Bytes(), nil
}

// DecodeCompressed is DecodeKnownVersioned of what EncodeCompressed wrote. A document of more than this many bytes,
// decompressed, is an error.
func DecodeCompressed(encoded []byte, wantVersion string, most int64, into any) error {
	plain, err := decompress(encoded, most)
	if err != nil {
		return err
	}
	return DecodeKnownVersioned(plain, wantVersion, into)
}

func decompress(encoded []byte, most int64) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(reader, most+1))
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	if int64(len(plain)) > most {
		return nil, errors.New("decompressing: it is too large")
	}
	return plain, nil
}
