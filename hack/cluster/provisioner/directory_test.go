package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func options(node string) controller.ProvisionOptions {
	reclaim := corev1.PersistentVolumeReclaimDelete
	return controller.ProvisionOptions{
		PVName:           "pvc-1",
		SelectedNodeName: node,
		StorageClass:     &storagev1.StorageClass{ReclaimPolicy: &reclaim},
		PVC:              &corev1.PersistentVolumeClaim{},
	}
}

func TestProvisionedDirectoryIsRemovedWithItsVolume(t *testing.T) {
	provisioner := directoryProvisioner{root: t.TempDir()}
	volume, _, err := provisioner.Provision(t.Context(), options("node1"))
	if err != nil {
		t.Fatalf("Provision: %v", err)
	}
	directory := filepath.Join(provisioner.root, "node1", "pvc-1")
	if volume.Spec.Local.Path != directory {
		t.Errorf("path = %q, want %q", volume.Spec.Local.Path, directory)
	}
	if err := os.WriteFile(filepath.Join(directory, "data"), []byte("x"), 0o600); err != nil {
		t.Fatalf("writing into the volume: %v", err)
	}
	if err := provisioner.Delete(t.Context(), volume); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("directory still there after Delete: %v", err)
	}
}

func TestProvisionWithoutNodeNamesTheBindingMode(t *testing.T) {
	provisioner := directoryProvisioner{root: t.TempDir()}
	_, _, err := provisioner.Provision(t.Context(), options(""))
	if err == nil || !strings.Contains(err.Error(), "WaitForFirstConsumer") {
		t.Errorf("error = %v, want one that names WaitForFirstConsumer", err)
	}
}

func TestDeleteRefusesPathsThatAreNoVolume(t *testing.T) {
	outside := t.TempDir()
	provisioner := directoryProvisioner{root: t.TempDir()}
	cases := map[string]string{
		"a path outside the root": filepath.Join(outside, "pvc-1"),
		"the root itself":         provisioner.root,
		"a path that climbs out":  provisioner.root + "/node1/../../pvc-1",
		"another volume":          filepath.Join(provisioner.root, "node1", "pvc-2"),
	}
	for name, path := range cases {
		t.Run(name, func(t *testing.T) {
			volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-1"}}
			volume.Spec.Local = &corev1.LocalVolumeSource{Path: path}
			if err := provisioner.Delete(t.Context(), volume); err == nil {
				t.Errorf("Delete(%q) succeeded, want a refusal", path)
			}
		})
	}
}
