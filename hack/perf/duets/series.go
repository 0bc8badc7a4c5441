package duets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"
)

// Series are recordings of the same, each of fresh servers, in the order of time. No comparison spans two of them.
type Series []*Recording

// Apart are trials of up to this length that share no group: each begins where the one before ended.
func (s Series) Apart(limit time.Duration) ([]Trial, error) {
	return s.trials(limit, func(t Trial) int { return t.Groups })
}

// Overlapping are trials of up to this length that begin so many groups after one another.
func (s Series) Overlapping(limit time.Duration, every int) ([]Trial, error) {
	return s.trials(limit, func(Trial) int { return every })
}

func (s Series) trials(limit time.Duration, next func(Trial) int) (all []Trial, err error) {
	for _, r := range s {
		found, err := r.trials(limit, next)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Longest is the length of the longest recording.
func (s Series) Longest() (longest time.Duration) {
	for _, r := range s {
		longest = max(longest, r.Length())
	}
	return longest
}

// suffix ends the names of recordings.
const suffix = ".json.gz"

// Keep writes a recording beside those of the same name that were made before. The folder is made.
func Keep(folder string, r *Recording) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making a folder for recordings: %w", err)
	}
	// Under another name until it is whole: one that is cut off would be in the way of all that come later.
	file, err := os.CreateTemp(folder, ".recording-*")
	if err != nil {
		return fmt.Errorf("keeping a recording: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := errors.Join(r.Write(file), file.Close()); err != nil {
		return fmt.Errorf("keeping a recording: %w", err)
	}
	return os.Rename(file.Name(), filepath.Join(folder, r.Name+"-"+r.Begun.UTC().Format("20060102T150405")+suffix))
}

// Kept are the recordings of a folder that were made on this machine, by their names; those that compare other lines
// than the latest of its name are left out. None is an empty answer.
func Kept(folder, machine string) (map[string]Series, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err != nil {
		return nil, err
	}
	found := map[string]Series{}
	for _, path := range paths {
		r, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; remove it to go on without it", path, err)
		}
		if r.Machine == machine {
			found[r.Name] = append(found[r.Name], r)
		}
	}
	for name, series := range found {
		slices.SortFunc(series, func(a, b *Recording) int { return a.Begun.Compare(b.Begun) })
		last := series[len(series)-1]
		found[name] = slices.DeleteFunc(series, func(r *Recording) bool {
			return !reflect.DeepEqual(r.Lines, last.Lines) || !slices.Equal(r.Operations, last.Operations)
		})
	}
	return found, nil
}

func readFile(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return Read(file)
}
