package progress

import (
	"fmt"
	"io"
	"time"
)

// Reporter writes steps.
type Reporter struct {
	output io.Writer
	begin  time.Time
}

// New makes a reporter whose clock starts now.
func New(output io.Writer) *Reporter {
	return &Reporter{output: output, begin: time.Now()}
}

// Say tells what comes next.
func (r *Reporter) Say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.output, "[%6.1fs] %s\n", time.Since(r.begin).Seconds(), fmt.Sprintf(format, args...))
}
