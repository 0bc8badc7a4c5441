package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// fileData is what was read of the files that values and documents are taken from.
type fileData struct {
	tables []*records.Table
	// hash is that of all their contents; empty without files.
	hash string
}

// readFiles reads what the plan takes of its files. Every pod reads all of them.
func readFiles(e *Engine) (data fileData, err error) {
	fields := e.Plan.FileFields()
	whole := sha256.New()
	for _, declared := range e.Plan.DataFiles {
		table := records.NewTable(declared.Name, fields[declared.Name])
		if len(fields[declared.Name]) == 0 {
			continue
		}
		e.Log.Info("A file is read", "file", declared.Name, "path", declared.File.String())
		if err := readFile(e, declared, table, whole); err != nil {
			return data, fmt.Errorf("file %q, %s: %w", declared.Name, declared.File, err)
		}
		data.tables = append(data.tables, table)
	}
	if len(data.tables) > 0 {
		data.hash = hex.EncodeToString(whole.Sum(nil))
	}
	return data, nil
}

// readFile fills a table, and adds the file to a hash.
func readFile(e *Engine, declared planv1.DataFile, table *records.Table, whole hash.Hash) error {
	if e.Files == nil {
		return errors.New("this load generator was not told where files are")
	}
	opened, err := e.Files.Open(declared.File)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()
	own := sha256.New()
	reader, err := records.NewReader(declared.Format, io.TeeReader(opened, own))
	if err != nil {
		return err
	}
	for {
		document, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = table.Add(document)
		}
		if err != nil {
			return err
		}
	}
	if table.Documents() == 0 {
		return errors.New("there is no document in it")
	}
	_, err = whole.Write(own.Sum(nil))
	return err
}
