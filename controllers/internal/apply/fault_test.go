package apply_test

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
)

func TestFault(t *testing.T) {
	pods, kind := corev1.Resource("pods"), benchv1alpha1.GroupVersion.WithKind("K").GroupKind()
	refused := func(cause string) error {
		return errors.Join(fmt.Errorf("applying: %w", apierrors.NewForbidden(pods, "p", errors.New(cause))))
	}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"no error":                           {},
		"a foreign object":                   {fmt.Errorf("applying: %w", apply.ErrForeign), benchv1alpha1.ReasonConfigError},
		"a quota on objects":                 {refused("exceeded quota: q"), benchv1alpha1.ReasonQuotaExceeded},
		"a policy":                           {refused("denied by policy"), benchv1alpha1.ReasonForbidden},
		"an object that is invalid":          {apierrors.NewInvalid(kind, "k", nil), benchv1alpha1.ReasonForbidden},
		"an API server that does not answer": {apierrors.NewTimeoutError("later", 1), ""},
		"a write that came second":           {apierrors.NewConflict(pods, "p", errors.New("changed")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			fault, ok := apply.Fault(tc.err)
			forGood := tc.want == benchv1alpha1.ReasonForbidden
			if fault.Reason != tc.want || ok != (tc.want != "") || fault.Terminal != forGood {
				t.Errorf("fault %+v, %t", fault, ok)
			}
		})
	}
}
