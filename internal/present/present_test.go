package present

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	number := func(value int64) *int64 { return &value }
	for want, got := range map[string]string{
		"0 µs": Micros(0), "999 µs": Micros(999), "1.00 ms": Micros(1000), "1.84 ms": Micros(1844),
		"12.3 ms": Micros(12_345), "100 ms": Micros(99_960), "640 ms": Micros(640_000), "1.00 s": Micros(1_000_000),
		"10.0 s": Micros(9_996_000), "3,600 s": Micros(3_600_000_000), "0 s": Millis(0), "15.0 s": Millis(15_000),
		"0": Count(0), "999": Count(999), "1,000": Count(1000), "-12,345,678": Count(-12_345_678),
		"1 thread": Plural(1, "thread"), "1,200 threads": Plural(1200, "thread"),
		"0 B": Bytes(0), "940 B": Bytes(940), "1 KiB": Bytes(1024), "1.3 KiB": Bytes(1331), "38.4 MiB": Bytes(40_265_318),
		"100 MiB": Bytes(100 << 20), "2 GiB": Bytes(2 << 30), "1.5 TiB/s": BytesPerSecond(3 << 39),
		"0.00": Money(0), "0.000001": Money(1), "0.00278": Money(2778), "0.0123": Money(12_345), "0.120": Money(120_000),
		"5.50": Money(5_500_000), "1,234.50": Money(1_234_500_000), "-0.120": Money(-120_000),
		"9,223,372,036,854.78": Money(math.MaxInt64), "0 %": Share(1, 0), "0.3 %": Share(3, 1000), "12 %": Share(12, 100),
		"+12.3 %": Change(number(1230)), "-4.0 %": Change(number(-400)), "×23.6": Change(number(226_470)), "-": Change(nil),
		"+1.0 % to ×2.00": Interval(number(100), number(10_000)), "- ": Interval(nil, number(1)) + " ",
		" -": " " + Known[int64](nil, Count), "7": Known(number(7), Count),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTables(t *testing.T) {
	table := &Table{Columns: slices.Concat(Columns("name"), Numbers("ops/s"), Columns(""))}
	table.Add("one|two", "7")
	table.Add("failed", "1,234", "< knee")
	table.Add("x")
	var text, painted, markdown strings.Builder
	asMarkdown := &Document{Markdown: true}
	asMarkdown.Table(*table)
	for _, err := range []error{table.Write(&text, false), table.Write(&painted, true), asMarkdown.Write(&markdown)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := "name     ops/s\none|two      7\nfailed   1,234  < knee\nx\n"; text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
	if !strings.Contains(painted.String(), red+"failed"+plain+"   1,234") {
		t.Errorf("the colours move something:\n%q", painted.String())
	}
	want := "| name | ops/s |  |\n|---|---:|---|\n| one\\|two | 7 |  |\n| failed | 1,234 | < knee |\n| x |  |  |\n"
	if markdown.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &markdown, want)
	}
}
