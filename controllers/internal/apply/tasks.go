package apply

import (
	"errors"
	"fmt"
	"sync"
)

// sideBySide is how many requests of one Apply are under way at once: the time of an Apply is that of waiting for the
// API server, and several owners are worked on at once.
const sideBySide = 4

// task is what is done to one object.
type task struct {
	id    key
	doing string
	do    func() (Result, error)
}

// waveOf is when an object of a kind is written: what pods look for comes before what starts pods. A RoleBinding comes
// after its Role: to somebody who may not give any right the API server looks first which ones these are. It need not
// wait any longer, for the authorizer learns of it behind the write anyway, which pods have patience with.
func waveOf(kind string) int {
	switch kind {
	case "StatefulSet", "Job", "RoleBinding":
		return 1
	}
	return 0
}

// inTurn does one group of tasks after the other, the tasks of a group side by side.
func inTurn(groups ...[]task) (Result, error) {
	var all Result
	var failures []error
	for _, group := range groups {
		results, errs := together(group)
		for i, result := range results {
			if errs[i] != nil {
				failures = append(failures, group[i].failed(errs[i]))
				continue
			}
			all.Written += result.Written
			all.Deleted += result.Deleted
		}
	}
	return all, errors.Join(failures...)
}

// together does tasks side by side; what became of each is at its index.
func together(tasks []task) ([]Result, []error) {
	results, errs := make([]Result, len(tasks)), make([]error, len(tasks))
	free := make(chan struct{}, sideBySide)
	var group sync.WaitGroup
	for i := range tasks {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			results[i], errs[i] = tasks[i].do()
		})
	}
	group.Wait()
	return results, errs
}

func (t task) failed(err error) error {
	return fmt.Errorf("%s %s %s: %w", t.doing, t.id.kind.Kind, t.id.name, err)
}
