package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

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
