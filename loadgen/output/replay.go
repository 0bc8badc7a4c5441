package output

import (
	"bytes"
	"fmt"
	"io"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Replay tells people what became of a recording.
func Replay(to io.Writer, replay *reportv1.Replay) error {
	if replay == nil {
		return nil
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%d operations of the recording were to be sent\n", replay.Operations)
	for _, left := range replay.LeftOut {
		fmt.Fprintf(&text, "%d left out: %s\n", left.Count, left.What)
	}
	for _, changed := range replay.Changed {
		fmt.Fprintf(&text, "%d sent without %s\n", changed.Count, changed.What)
	}
	for _, one := range []struct {
		count int64
		what  string
	}{
		{replay.WithoutCursor, "not sent: the cursor that they ask for more was not open any more"},
		{replay.Late, "came too late in the recording to be sent in their order"},
		{replay.Compared, "answers were compared with the recorded ones; of these"},
		{replay.OtherCount, "  had another number of documents"},
		{replay.OtherCursor, "  left a cursor open, or did not, otherwise than recorded"},
		{replay.Failed, "  failed, and had not"},
		{replay.Succeeded, "  had failed, and did not, or otherwise"},
	} {
		if one.count > 0 {
			fmt.Fprintf(&text, "%d %s\n", one.count, one.what)
		}
	}
	_, err := to.Write(text.Bytes())
	return err
}
