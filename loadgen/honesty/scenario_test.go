package honesty

import (
	"os"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestMain(m *testing.M) {
	os.Exit(Main(m))
}

func TestAWrongNumberMustBeDoubtedAndARightOneMustNot(t *testing.T) {
	named := []result.Doubt{{Reason: benchv1alpha1.ReasonStartSkew, Message: "late"}}
	others := []result.Doubt{{Reason: benchv1alpha1.ReasonNotSteady, Message: "uneven"}}
	for name, tc := range map[string]struct {
		told Told
		want string
	}{
		"wrong and doubted":             {Told{Wrong: true, Doubts: named}, ""},
		"wrong and said otherwise":      {Told{Wrong: true, Says: "marked"}, ""},
		"wrong and trusted":             {Told{Wrong: true}, "a wrong number passed untold"},
		"wrong and doubted for another": {Told{Wrong: true, Doubts: others}, "a wrong number passed untold"},
		"right and trusted":             {Told{}, ""},
		"right and doubted for another": {Told{Doubts: others}, ""},
		"right and doubted":             {Told{Doubts: named}, "a right number was doubted"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Scenario{Doubt: benchv1alpha1.ReasonStartSkew}).verdict(tc.told); got != tc.want {
				t.Errorf("the verdict is %q, want %q", got, tc.want)
			}
		})
	}
}
