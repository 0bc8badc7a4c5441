package apply

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// Fault says whether an error of Apply is one that people have to mend, and which reason it has. Every other error is
// repeated by the queue.
func Fault(err error) (podfault.Fault, bool) {
	switch {
	case err == nil:
		return podfault.Fault{}, false
	case errors.Is(err, ErrForeign):
		return podfault.Fault{Reason: benchv1alpha1.ReasonConfigError, Message: err.Error()}, true
	case apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
		return podfault.Fault{Reason: podfault.RefusalReason(err.Error()), Message: err.Error()}, true
	}
	return podfault.Fault{}, false
}
