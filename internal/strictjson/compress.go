package strictjson

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

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

// DecodeCompressed is DecodeVersioned of what EncodeCompressed wrote. A document of more than so many bytes,
// decompressed, is an error.
func DecodeCompressed(encoded []byte, wantVersion string, most int64, into any) error {
	reader, err := gzip.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("decompressing: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(reader, most+1))
	if err != nil {
		return fmt.Errorf("decompressing: %w", err)
	}
	if int64(len(plain)) > most {
		return errors.New("decompressing: it is too large")
	}
	return DecodeVersioned(plain, wantVersion, into)
}
