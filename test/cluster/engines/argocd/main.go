// Command argocd is what the tests need of Argo CD: the application controller, the repository server, the server of a config management plugin,
// and a redis that lives in memory.
//
// The program to be is the name it is called by (a symbolic link), or else its first argument.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/alicebob/miniredis/v2"
	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
)

var programs = map[string]func(){
	"argocd-application-controller": func() { run(controller.NewCommand()) },
	"argocd-cmp-server":             func() { run(cmpserver.NewCommand()) },
	"argocd-repo-server":            func() { run(reposerver.NewCommand()) },
	"redis":                         redis,
}

func main() {
	program, ok := programs[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		// the programs read their own arguments from os.Args
		os.Args = os.Args[1:]
		program, ok = programs[os.Args[0]]
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: argocd argocd-application-controller|argocd-cmp-server|argocd-repo-server|redis [arguments]")
		os.Exit(2)
	}
	if os.Getenv("EXIT_WITH_STDIN") != "" {
		go exitWithStdin()
	}
	program()
}

// exitWithStdin ends the program when its parent closes standard input, which a parent's death does too, whatever it died of.
func exitWithStdin() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func run(command *cobra.Command) {
	if err := command.Execute(); err != nil {
		os.Exit(1)
	}
}

func redis() {
	if err := miniredis.NewMiniRedis().StartAddr(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}
