package caching

import (
	"context"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// shelf lists ConfigMaps as an API server does, and counts how many it was asked for at once at most. From its last
// version on it says that a list has expired.
type shelf struct {
	count   int
	largest int
	expires bool
}

func (s *shelf) list(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.ResourceVersion != "" {
		s.largest = s.count
	}
	from, _ := strconv.Atoi(options.Continue)
	if s.expires && from > 0 {
		return nil, apierrors.NewResourceExpired("too old")
	}
	end := min(from+int(options.Limit), s.count)
	s.largest = max(s.largest, end-from)
	page := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for i := from; i < end; i++ {
		page.Items = append(page.Items, corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(i)}, Data: map[string]string{"a": "large"},
		})
	}
	if end < s.count {
		page.Continue, page.RemainingItemCount = strconv.Itoa(end), new(int64(s.count-end))
	}
	return page, nil
}

func TestPages(t *testing.T) {
	for _, count := range []int{0, 1, LargeKinds, LargeKinds + 1, 3 * LargeKinds} {
		server := &shelf{count: count}
		list, err := pages(t.Context(), metav1.ListOptions{ResourceVersion: "0"}, LargeKinds, server.list)
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, list, count)
		if server.largest > LargeKinds {
			t.Errorf("%d were read at once", server.largest)
		}
	}
}

// checkNames wants a list to be of so many ConfigMaps with nothing but their names.
func checkNames(t *testing.T, list runtime.Object, count int) {
	t.Helper()
	described, err := apimeta.ListAccessor(list)
	if err != nil || described.GetResourceVersion() != "7" || described.GetContinue() != "" {
		t.Fatalf("the list is %+v: %v", described, err)
	}
	all, err := apimeta.ExtractListWithAlloc(list) // As an informer does.
	if err != nil || len(all) != count {
		t.Fatalf("of %d came %+v: %v", count, list, err)
	}
	for i := range all {
		one, is := all[i].(*corev1.ConfigMap)
		if !is || one.Name != strconv.Itoa(i) || len(one.Data) > 0 {
			t.Errorf("number %d is %+v, want its name alone", i, all[i])
		}
	}
}

func TestAListThatExpiresIsAnError(t *testing.T) {
	server := &shelf{count: 3 * LargeKinds, expires: true}
	_, err := pages(t.Context(), metav1.ListOptions{}, LargeKinds, server.list)
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("got %v, want that it has expired, so that the caller lists again", err)
	}
}
