package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/namespace/deletion"
)

// Kubernetes waits 5 seconds before it empties a deleted namespace, for the other API servers of a cluster to hear of the deletion, and
// then 8 seconds where an object waits for a finalizer. One API server has no others, and the tests delete hundreds of namespaces.
const (
	beforeFirst = 300 * time.Millisecond
	beforeNext  = time.Second
)

// deleteNamespaces does the work of the namespace controller of Kubernetes, by the same code, without its waits.
func deleteNamespaces(kubeconfig string) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	exitIf(err)
	config.QPS, config.Burst = 400, 3000
	client, err := kubernetes.NewForConfig(config)
	exitIf(err)
	objects, err := metadata.NewForConfig(config)
	exitIf(err)

	ctx := context.Background()
	discover := client.Discovery().ServerPreferredNamespacedResources
	deleter := deletion.NewNamespacedResourcesDeleter(ctx, client.CoreV1().Namespaces(), objects, client.CoreV1(), discover, corev1.FinalizerKubernetes)
	queue := workqueue.NewTypedDelayingQueue[string]()
	enqueue := func(object any) {
		if namespace := object.(*corev1.Namespace); namespace.DeletionTimestamp != nil {
			queue.AddAfter(namespace.Name, beforeFirst)
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err = factory.Core().V1().Namespaces().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
	})
	exitIf(err)
	factory.Start(ctx.Done())
	for range 4 {
		go emptyNamespaces(ctx, deleter, queue)
	}
}

func emptyNamespaces(ctx context.Context, deleter deletion.NamespacedResourcesDeleterInterface, queue workqueue.TypedDelayingInterface[string]) {
	for {
		name, ended := queue.Get()
		if ended {
			return
		}
		if err := deleter.Delete(ctx, name); err != nil {
			var remaining *deletion.ResourcesRemainingError
			if !errors.As(err, &remaining) {
				fmt.Fprintf(os.Stderr, "namespace %s: %v\n", name, err)
			}
			queue.AddAfter(name, beforeNext)
		}
		queue.Done(name)
	}
}

func exitIf(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
