package output

import (
	"archive/tar"
	"fmt"
	"io"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// DiagnosticFile is the diagnostic data of one server, as MongoDB's own tools read it.
type DiagnosticFile struct {
	// Name begins as the servers call theirs, and goes on with the server's.
	Name string
	Data []byte
}

// mostNameBytes is how much of a server's name is in that of a file.
const mostNameBytes = 100

// DiagnosticFiles are those of a report.
func DiagnosticFiles(report reportv1.Report) []DiagnosticFile {
	var files []DiagnosticFile
	for _, member := range report.Members {
		if kept := member.Diagnostics; kept != nil && len(kept.Data) > 0 {
			name := "metrics." + fileName(member.Name[:min(len(member.Name), mostNameBytes)])
			if slices.ContainsFunc(files, func(f DiagnosticFile) bool { return f.Name == name }) {
				name = fmt.Sprintf("%s_%d", name, len(files))
			}
			files = append(files, DiagnosticFile{Name: name, Data: kept.Data})
		}
	}
	return files
}

// membersFile says of each server what is in an archive, and what is not.
const membersFile = "members.txt"

// FTDC writes an archive (tar) of the diagnostic data of all servers, a file each, and of what there is of whom.
func FTDC(to io.Writer, report reportv1.Report) error {
	var facts present.Facts
	addDiagnostics(&facts, report.Members)
	var said strings.Builder
	for _, fact := range facts {
		fmt.Fprintln(&said, fact.Text)
	}
	if len(facts) == 0 {
		fmt.Fprintln(&said, "no diagnostic data was kept")
	}
	archive := tar.NewWriter(to)
	files := append([]DiagnosticFile{{Name: membersFile, Data: []byte(said.String())}}, DiagnosticFiles(report)...)
	for _, file := range files {
		header := &tar.Header{Name: file.Name, Mode: 0o644, Size: int64(len(file.Data)), Format: tar.FormatPAX}
		if len(report.Members) > 0 {
			header.ModTime = report.Members[0].Start
		}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("writing %s: %w", file.Name, err)
		}
		if _, err := archive.Write(file.Data); err != nil {
			return fmt.Errorf("writing %s: %w", file.Name, err)
		}
	}
	return archive.Close()
}

// addDiagnostics tells what there is of the servers' own diagnostic data.
func addDiagnostics(facts *present.Facts, members []reportv1.Member) {
	for _, member := range members {
		if kept := member.Diagnostics; kept != nil {
			facts.Add("FTDC", member.Name+": "+diagnosticsText(kept))
		}
	}
}

func diagnosticsText(kept *reportv1.Diagnostics) string {
	if kept.Missing != "" {
		return "none, " + kept.Missing
	}
	text := present.Plural(int64(kept.Samples), "sample")
	if len(kept.Data) > 0 {
		text += " in " + present.Bytes(int64(len(kept.Data)))
	}
	if kept.Dropped > 0 {
		text += fmt.Sprintf("; %s before them had no room", present.Count(int64(kept.Dropped)))
	}
	return text
}

// withoutDiagnostics is a report of which the servers' diagnostic data is elsewhere.
func withoutDiagnostics(report reportv1.Report) reportv1.Report {
	report.Members = slices.Clone(report.Members)
	for i, member := range report.Members {
		if member.Diagnostics != nil {
			kept := *member.Diagnostics
			kept.Data = nil
			report.Members[i].Diagnostics = &kept
		}
	}
	return report
}
