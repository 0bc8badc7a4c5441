package output_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

func TestAnArchiveHasTheDiagnosticDataOfEachServer(t *testing.T) {
	of := func(name, data, missing string) reportv1.Member {
		kept := &reportv1.Diagnostics{Data: []byte(data), Samples: 3, Missing: missing}
		return reportv1.Member{Name: name, Diagnostics: kept}
	}
	long := strings.Repeat("x", 500)
	report := reportv1.Report{Members: []reportv1.Member{
		of("db-0.example:27017", "first", ""), of("../../etc/passwd", "second", ""), of("..:..:etc:passwd", "third", ""),
		of("db-1:27017", "", "(Unauthorized) not allowed"), of(long, "fourth", ""),
		{Name: "old:1"},
	}}
	var written bytes.Buffer
	if err := output.FTDC(&written, report); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for archive := tar.NewReader(&written); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		content, errRead := io.ReadAll(archive)
		if errors.Join(err, errRead) != nil {
			t.Fatal(err, errRead)
		}
		got[header.Name] = string(content)
	}
	want := map[string]string{
		"metrics.db-0.example_27017": "first", "metrics..._.._etc_passwd": "second", "metrics..._.._etc_passwd_2": "third",
		"metrics." + long[:100]: "fourth",
		"members.txt": "db-0.example:27017: 3 samples in 5 B\n../../etc/passwd: 3 samples in 6 B\n" +
			"..:..:etc:passwd: 3 samples in 5 B\ndb-1:27017: none, (Unauthorized) not allowed\n" + long + ": 3 samples in 6 B\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
}

func TestTheJSONOfAReportLeavesDiagnosticDataToItsFiles(t *testing.T) {
	report := richReport(t)
	var written strings.Builder
	if err := output.JSON(&written, report); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(written.String(), `"data":`) || !strings.Contains(written.String(), `"samples": 118`) {
		t.Error("the JSON has the data, or does not say how many samples it has")
	}
	if len(report.Members[0].Diagnostics.Data) == 0 {
		t.Error("the report itself has lost its data")
	}
}
