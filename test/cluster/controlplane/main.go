// Command controlplane is the Kubernetes control plane that the cluster tests run against: etcd, API server and controller manager, and
// kubectl for benchmarks, in one program. One link step instead of four halves the build time on a small machine.
//
// The program to be is the name it is called by (a symbolic link), or else its first argument.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

var programs = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": manageControllers,
	"kubectl":                 func() { run(cmd.NewDefaultKubectlCommand()) },
}

func main() {
	program, ok := programs[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		// the programs read their own arguments from os.Args
		os.Args = os.Args[1:]
		program, ok = programs[os.Args[0]]
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: controlplane etcd|kube-apiserver|kube-controller-manager|kubectl [arguments]")
		os.Exit(2)
	}
	if os.Getenv("EXIT_WITH_STDIN") != "" {
		go exitWithStdin()
	}
	program()
}

// exitWithStdin ends the program when its parent closes standard input, which a parent's death does too, whatever it died of:
// no server stays behind a killed test run.
func exitWithStdin() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// manageControllers runs the controllers, with those of our own for the kubeconfig in NAMESPACES_BY.
func manageControllers() {
	if kubeconfig := os.Getenv("NAMESPACES_BY"); kubeconfig != "" {
		deleteNamespaces(kubeconfig)
	}
	run(controllermanager.NewControllerManagerCommand())
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}
