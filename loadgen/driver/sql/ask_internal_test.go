package sql

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// TestWhatWasInTheWayIsTold: not that the time was up in the middle of the next attempt.
func TestWhatWasInTheWayIsTold(t *testing.T) {
	full := &mysql.MySQLError{Number: tooManyConnections}
	broken := errors.New("connection refused")
	for name, tc := range map[string]struct {
		answers []error
		want    error
	}{
		"it takes the connection at last": {[]error{broken, full, nil}, nil},
		"it said something":               {[]error{full, broken, context.DeadlineExceeded}, full},
		"it said nothing":                 {[]error{broken, context.DeadlineExceeded}, broken},
		"no attempt came to an end":       {[]error{context.DeadlineExceeded}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tried := 0
			_, err := Reach(ctx, time.Hour, isFinal, func(context.Context) (int, error) {
				tried++
				if tried == len(tc.answers) {
					cancel()
				}
				return 0, tc.answers[tried-1]
			})
			if !errors.Is(err, tc.want) || tried != len(tc.answers) {
				t.Errorf("after %d of %d attempts the error is %v, want %v", tried, len(tc.answers), err, tc.want)
			}
		})
	}
}

func TestACertificateThatIsNotTrustedIsNotTriedAgain(t *testing.T) {
	tried := 0
	_, err := Reach(t.Context(), time.Hour, isFinal, func(context.Context) (int, error) {
		tried++
		return 0, fmt.Errorf("connecting: %w", &tls.CertificateVerificationError{Err: errors.New("unknown authority")})
	})
	if err == nil || tried != 1 {
		t.Errorf("after %d attempts the error is %v", tried, err)
	}
}
