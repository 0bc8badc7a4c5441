package claim_test

import (
	"os"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

var environment testenv.Environment

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &environment)) }
