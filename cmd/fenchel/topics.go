package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/usage"
	"github.com/fenchel-ml/fenchel/docs"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// What "fenchel help" prints beside the help of commands: the pages of the manual.

// newTopics makes the help topic that lists them.
func newTopics() *cobra.Command {
	cmd := &cobra.Command{Use: "topics", Short: "The pages of the manual, such as \"fenchel help kernel\""}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		w, pages := cmd.OutOrStdout(), manual()
		for _, page := range pages {
			if page.Title != "" {
				usage.PrintEntry(w, page.Name, 25, page.Title)
			}
		}
		fmt.Fprintf(w, "\n\"fenchel help TOPIC\" prints one. The schema of what a verb prints with --json is\nVERB.schema.json, such as \"fenchel help train.schema.json\".\n")
	})
	return cmd
}

// manual returns the pages that are in the program.
func manual() []docs.Page {
	pages, err := docs.Pages()
	if err != nil {
		panic(err) // a file that is in the program cannot be read
	}
	return pages
}

// pageOf returns the page of that name; nil: there is none, or a command has the name.
func pageOf(root *cobra.Command, args []string) *docs.Page {
	if _, _, err := root.Find(args); err == nil || len(args) != 1 {
		return nil
	}
	pages := manual()
	at := slices.IndexFunc(pages, func(p docs.Page) bool { return p.Name == args[0] })
	if at < 0 {
		return nil
	}
	return &pages[at]
}

// helpWithPages makes help print pages too, complete their names, and refuse what is neither
// a command nor a page.
func helpWithPages(help *cobra.Command) {
	ofCommands, commands := help.Run, help.ValidArgsFunction
	help.Args = func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		if _, _, err := root.Find(args); err == nil || pageOf(root, args) != nil {
			return nil
		}
		if _, ok := lists[args[0]]; ok {
			return fmt.Errorf("unknown help topic %q: \"fenchel list %s\" explains them", args[0], args[0])
		}
		known := verbs(root)
		for _, page := range manual() {
			if page.Title != "" {
				known = append(known, page.Name)
			}
		}
		return registry.Unknown("help topic", args[0], known)
	}
	help.Run, help.RunE = nil, func(cmd *cobra.Command, args []string) error {
		if page := pageOf(cmd.Root(), args); page != nil {
			return page.Print(cmd.OutOrStdout(), usage.HelpWidth)
		}
		ofCommands(cmd, args)
		return nil
	}
	help.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		found, directive := commands(cmd, args, word)
		if len(args) == 0 {
			for _, page := range manual() {
				if strings.HasPrefix(page.Name, word) {
					found = append(found, cobra.CompletionWithDesc(page.Name, page.Title))
				}
			}
		}
		return found, directive
	}
}
