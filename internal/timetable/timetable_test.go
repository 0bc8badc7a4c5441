package timetable_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/internal/timetable"
)

func parse(t *testing.T, schedule, zone string) timetable.Timetable {
	t.Helper()
	in, err := timetable.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	table, err := timetable.Parse(schedule, in)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestTimesComeByTheClockOfTheZone(t *testing.T) {
	for name, tc := range map[string]struct {
		schedule, zone, from string
		want                 []string
	}{
		"every night in UTC": {
			"0 2 * * *", "Etc/UTC", "2026-11-27T02:00:00Z", []string{"2026-11-28T02:00:00Z", "2026-11-29T02:00:00Z"},
		},
		"every night in Berlin, over the end of summer time": {
			"0 5 * * *", "Europe/Berlin", "2026-10-23T12:00:00Z", []string{"2026-10-24T03:00:00Z", "2026-10-25T04:00:00Z"},
		},
		"an hour that is skipped in spring does not come that day": {
			"30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", []string{"2027-03-29T00:30:00Z", "2027-03-30T00:30:00Z"},
		},
		"an hour that is repeated in autumn comes twice": {
			"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", []string{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"},
		},
		"each half hour comes in both": {
			"0,30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", []string{"2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"},
		},
		"a word": {"@weekly", "Etc/UTC", "2026-11-27T02:00:00Z", []string{"2026-11-29T00:00:00Z", "2026-12-06T00:00:00Z"}},
		"a leap day": {
			"0 0 29 2 *", "Etc/UTC", "2026-11-27T02:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			table, from := parse(t, tc.schedule, tc.zone), at(t, tc.from)
			got := make([]string, 0, len(tc.want))
			for range tc.want {
				from = table.After(from)
				got = append(got, from.Format(time.RFC3339))
				if !table.Has(from) || table.Has(from.Add(time.Minute/2)) {
					t.Errorf("whether %s is a time of the schedule", from)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("times (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLatest(t *testing.T) {
	table := parse(t, "0 2 * * *", "Etc/UTC")
	for name, tc := range map[string]struct {
		from, until, want string
		count             int64
	}{
		"none":                       {"2026-11-27T02:00:01Z", "2026-11-28T01:59:59Z", "0001-01-01T00:00:00Z", 0},
		"both ends count":            {"2026-11-27T02:00:00Z", "2026-11-28T02:00:00Z", "2026-11-28T02:00:00Z", 2},
		"a month":                    {"2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-11-30T02:00:00Z", 30},
		"no further than a year ago": {"1999-01-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-11-30T02:00:00Z", 366},
	} {
		t.Run(name, func(t *testing.T) {
			latest, count := table.Latest(at(t, tc.from), at(t, tc.until))
			if got := latest.Format(time.RFC3339); got != tc.want || count != tc.count {
				t.Errorf("%s, the last of %d, want %s of %d", got, count, tc.want, tc.count)
			}
		})
	}
}

func TestWhatIsNoScheduleIsRefused(t *testing.T) {
	for schedule, want := range map[string]string{
		"":                         "no schedule in cron syntax",
		"tonight":                  "no schedule in cron syntax",
		"0 2 * *":                  "no schedule in cron syntax",
		"0 0 2 * * *":              "no schedule in cron syntax",
		"60 2 * * *":               "no schedule in cron syntax",
		"0 0 30 2 *":               "never comes",
		"@every 5m":                "no time of a clock",
		"CRON_TZ=Asia/X 0 2 * * *": "belongs in timeZone",
	} {
		if _, err := timetable.Parse(schedule, time.UTC); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", schedule, err, want)
		}
	}
}

func TestWhatIsNoZoneIsRefused(t *testing.T) {
	for _, name := range []string{"", "Local", "local", "Europe/Bielefeld", "../etc/passwd", "UTC+1"} {
		if zone, err := timetable.Zone(name); err == nil || !strings.Contains(err.Error(), "IANA") {
			t.Errorf("%q is %v, %v", name, zone, err)
		}
	}
}
