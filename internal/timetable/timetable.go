package timetable

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // An image without a time zone database would know no zone but UTC.

	"github.com/robfig/cron/v3"
)

// parser reads what a CronJob may have: five fields, or a word that stands for them.
var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// beginning is a time of no meaning: every date that there is comes within five years of it.
var beginning = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// Timetable is a schedule in a time zone.
type Timetable struct {
	schedule cron.Schedule
	zone     *time.Location
}

// Parse reads a schedule in cron syntax. Its times are those of the zone.
func Parse(schedule string, zone *time.Location) (Timetable, error) {
	if strings.Contains(schedule, "TZ=") {
		return Timetable{}, errors.New("it has a time zone, which belongs in timeZone")
	}
	if strings.HasPrefix(schedule, "@every") {
		return Timetable{}, errors.New("@every is no time of a clock; say it with minutes and hours, such as 0 */6 * * *")
	}
	parsed, err := parser.Parse(schedule)
	if err != nil {
		return Timetable{}, fmt.Errorf("it is no schedule in cron syntax: %w", err)
	}
	table := Timetable{schedule: parsed, zone: zone}
	if table.After(beginning).IsZero() {
		return Timetable{}, errors.New("there is no such date, so that it never comes")
	}
	return table, nil
}

// Zone is the zone of a name in the IANA time zone database.
func Zone(name string) (*time.Location, error) {
	if name == "" || strings.EqualFold(name, "Local") {
		return nil, errors.New("it is no name of the IANA time zone database, such as Europe/Berlin")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("it is no name of the IANA time zone database, such as Europe/Berlin: %w", err)
	}
	return zone, nil
}

// After is the first time of the schedule after some time, in UTC.
func (t Timetable) After(at time.Time) time.Time {
	next := t.schedule.Next(at.In(t.zone))
	if next.IsZero() {
		return next
	}
	return next.UTC()
}

// Has says whether some time is one of the schedule.
func (t Timetable) Has(at time.Time) bool {
	return t.After(at.Add(-time.Second)).Equal(at)
}

// longest is how far back times are counted: half a million of them, at one a minute.
const longest = 366 * 24 * time.Hour

// Latest is the last time of the schedule that is neither before the first instant nor after the second, and how many
// there are between the two; no more than a year is looked back. The zero time: there is none.
func (t Timetable) Latest(from, until time.Time) (latest time.Time, count int64) {
	if earliest := until.Add(-longest); from.Before(earliest) {
		from = earliest
	}
	for at := t.After(from.Add(-time.Second)); !at.IsZero() && !at.After(until); at = t.After(at) {
		latest = at
		count++
	}
	return latest, count
}
