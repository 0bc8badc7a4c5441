package output

import (
	"fmt"
	"io"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Replay tells people, line by line, what became of a recording.
func Replay(to io.Writer, replay *reportv1.Replay) error {
	if replay == nil {
		return nil
	}
	lines := []string{present.Count(replay.Operations) + " operations were to be sent"}
	for _, left := range replay.LeftOut {
		lines = append(lines, fmt.Sprintf("%s left out: %s", present.Count(left.Count), left.What))
	}
	for _, changed := range replay.Changed {
		lines = append(lines, fmt.Sprintf("%s sent without %s", present.Count(changed.Count), changed.What))
	}
	if replay.WithoutCursor > 0 {
		lines = append(lines, present.Count(replay.WithoutCursor)+
			" not sent: the cursor that they ask for more was not open any more")
	}
	if replay.Late > 0 {
		lines = append(lines, present.Count(replay.Late)+" came too late in the recording to be sent in their order")
	}
	if replay.Compared > 0 {
		lines = append(lines, answersText(replay))
	}
	_, err := io.WriteString(to, strings.Join(lines, "\n")+"\n")
	return err
}

// addReplay tells of a recording in the facts of a step.
func addReplay(facts *present.Facts, replay *reportv1.Replay) {
	if replay == nil {
		return
	}
	left := int64(0)
	for _, reason := range replay.LeftOut {
		left += reason.Count
	}
	text := present.Count(replay.Operations) + " operations were to be sent"
	if length := replay.LengthMicros; length > 0 {
		text += ", recorded in " + present.Micros(length)
	}
	if left > 0 {
		text += fmt.Sprintf("; %s left out, most of them: %s", present.Count(left), replay.LeftOut[0].What)
	}
	if replay.WithoutCursor > 0 {
		text += fmt.Sprintf("; %s not sent, as their cursor was not open any more", present.Count(replay.WithoutCursor))
	}
	if replay.Late > 0 {
		text += fmt.Sprintf("; %s came too late in the recording", present.Count(replay.Late))
	}
	facts.Add("recording", text)
	if replay.Compared > 0 {
		facts.Add("answers", answersText(replay))
	}
}

// answersText says how many answers were as recorded.
func answersText(replay *reportv1.Replay) string {
	text := fmt.Sprintf("%s compared with the recorded ones, %s differ", present.Count(replay.Compared),
		present.Count(replay.Differing()))
	for _, one := range []struct {
		count int64
		what  string
	}{
		{replay.OtherCount, "had another number of documents"}, {replay.Failed, "failed and had not"},
		{replay.Succeeded, "had failed and did not, or otherwise"},
		{replay.OtherCursor, "left a cursor open, or did not, otherwise"},
	} {
		if one.count > 0 {
			text += fmt.Sprintf("; %s %s", present.Count(one.count), one.what)
		}
	}
	return text
}
