package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// provisionerName is what the StorageClass names.
const provisionerName = "mongobench.dev/directory"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig to use")
	root := flag.String("root", "", "directory that holds the volumes")
	flag.Parse()
	if err := run(*kubeconfig, *root); err != nil {
		fmt.Fprintf(os.Stderr, "provisioner: %v\n", err)
		os.Exit(1)
	}
}

// run serves claims until the process is told to end.
func run(kubeconfig, root string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("reading kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making client: %w", err)
	}
	controller.NewProvisionController(
		ctx, client, provisionerName, directoryProvisioner{root: root},
		// There is exactly one of us, so nothing to elect. Retries are quick because this disk is not shared.
		controller.LeaderElection(false),
		controller.RetryIntervalMax(10*time.Second),
	).Run(ctx)
	return nil
}

// directoryProvisioner makes one directory per volume: ROOT/NODE/VOLUME.
type directoryProvisioner struct {
	root string
}

// Provision makes the directory and describes it as a local volume of the chosen node. A local volume and not a
// hostPath, because only the former honours fsGroup, which a database that does not run as root needs.
func (p directoryProvisioner) Provision(
	_ context.Context, options controller.ProvisionOptions,
) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	if options.SelectedNodeName == "" {
		return nil, controller.ProvisioningFinished,
			errors.New("no node was selected: the storage class needs volumeBindingMode WaitForFirstConsumer")
	}
	if mode := options.PVC.Spec.VolumeMode; mode != nil && *mode != corev1.PersistentVolumeFilesystem {
		return nil, controller.ProvisioningFinished, fmt.Errorf("volume mode %s: only Filesystem is served", *mode)
	}
	directory := filepath.Join(p.root, options.SelectedNodeName, options.PVName)
	if err := makeOpenDirectory(directory); err != nil {
		return nil, controller.ProvisioningFinished, fmt.Errorf("making volume directory: %w", err)
	}
	return localVolume(options, directory), controller.ProvisioningFinished, nil
}

// Delete removes the directory with all its content. It refuses a path outside the root: the path was read from an
// object that anybody with the right to write PersistentVolumes may have written.
func (p directoryProvisioner) Delete(_ context.Context, volume *corev1.PersistentVolume) error {
	if volume.Spec.Local == nil {
		return &controller.IgnoredError{Reason: "not a local volume"}
	}
	directory := filepath.Clean(volume.Spec.Local.Path)
	relative, err := filepath.Rel(p.root, directory)
	if err != nil || !filepath.IsLocal(relative) || filepath.Base(relative) != volume.Name {
		return fmt.Errorf("removing volume %s: path %q is not a volume below %q", volume.Name, directory, p.root)
	}
	if err := os.RemoveAll(directory); err != nil {
		return fmt.Errorf("removing volume %s: %w", volume.Name, err)
	}
	return nil
}

// makeOpenDirectory gives every user access whatever the umask is: the container's user is not known here.
func makeOpenDirectory(directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	// An empty volume is writable by the pod that mounts it.
	return os.Chmod(directory, 0o777)
}

// localVolume is the PersistentVolume for a directory on the node that was selected.
func localVolume(options controller.ProvisionOptions, directory string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   options.PVC.Spec.AccessModes,
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: options.PVC.Spec.Resources.Requests[corev1.ResourceStorage],
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: directory},
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key:      corev1.LabelHostname,
						Operator: corev1.NodeSelectorOpIn,
						Values:   []string{options.SelectedNodeName},
					}},
				}},
			}},
		},
	}
}
