package queue

import (
	"context"
	"sync"
)

// Source reads, past all caches, every run or target that there is.
type Source func(ctx context.Context) ([]Run, error)

// seeding is what the queue is told before it admits anybody.
type seeding struct {
	mutex   sync.Mutex
	sources []Source
}

// From has the queue read a source before it admits anybody. It is called before the first Ready.
func (q *Queue) From(source Source) {
	q.seeding.mutex.Lock()
	defer q.seeding.mutex.Unlock()
	q.seeding.sources = append(q.seeding.sources, source)
}

// Ready seeds the queue from all of its sources, once: a run that another manager admitted a moment ago holds its
// place, whatever a cache says.
func (q *Queue) Ready(ctx context.Context) error {
	if q.isSeeded() {
		return nil
	}
	q.seeding.mutex.Lock()
	defer q.seeding.mutex.Unlock()
	if q.isSeeded() {
		return nil
	}
	var all []Run
	for _, read := range q.seeding.sources {
		found, err := read(ctx)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	q.Seed(all)
	return nil
}

func (q *Queue) isSeeded() bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.seeded
}
