package usage

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/experiment"
)

// What shells complete beside commands, flags and their values (see complete): names of
// generators, experiments and columns of tables.

// columnFlags are those whose value is the name of a column, if they are texts: train
// --time is a duration.
var columnFlags = []string{"target", "weights", "id", "group", "time", "ignore", "categorical", "numeric"}

// CompleteArguments has the shell complete the arguments of all verbs.
func CompleteArguments(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		place := strings.Index(cmd.Use, "DATA...")
		if place < 0 {
			place = strings.Index(cmd.Use, "IN...")
		}
		switch {
		case cmd.Name() == "reproduce":
			cmd.ValidArgsFunction = completeExperiment
		case place >= 0:
			cmd.ValidArgsFunction = completeData
		}
		for _, name := range columnFlags {
			if f := cmd.Flags().Lookup(name); f != nil && place >= 0 && f.Value.Type() != "duration" {
				_ = cmd.RegisterFlagCompletionFunc(name, completeColumn) // the flag is there
			}
		}
	}
}

// completeExperiment offers experiments, then files.
func completeExperiment(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var found []string
	for _, e := range experiment.Entries() {
		if strings.HasPrefix(e.Name, word) {
			found = append(found, cobra.CompletionWithDesc(e.Name, e.Summary))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeData offers generators after @, else files.
func completeData(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	name, isGenerator := strings.CutPrefix(word, "@")
	if !isGenerator {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var found []string
	for _, e := range data.Generators() {
		if strings.HasPrefix(e.Name, name) {
			found = append(found, cobra.CompletionWithDesc("@"+e.Name, e.Summary))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace // parameters may follow
}

// completeColumn offers the columns of the table that is named before the flag; of lists
// of columns the next one.
func completeColumn(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(cmd.Use, "MODEL DATA") && len(args) > 0 {
		args = args[1:]
	}
	before := word[:strings.LastIndex(word, ",")+1]
	var found []string
	for _, name := range args {
		for _, column := range columnsOf(cmd.Context(), name) {
			if strings.HasPrefix(before+column, word) {
				found = append(found, before+column)
			}
		}
		if found != nil {
			break
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// columnsOf returns the names of the columns of a table, from its first lines: whoever waits
// for a completion waits for no more. nil: it is none, or cannot be read.
func columnsOf(ctx context.Context, path string) []string {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	head, err := data.Head(ctx, path)
	if err != nil {
		return nil
	}
	if end := bytes.LastIndexByte(head, '\n'); end > 0 { // a line that is cut is none
		head = head[:end+1]
	}
	set, err := data.ReadFrom(ctx, bytes.NewReader(head), path, data.Options{Unlabelled: true})
	if err != nil || !set.Schema.Table() || !set.Schema.Header {
		return nil
	}
	var names []string
	for _, c := range set.Schema.Columns {
		names = append(names, c.Name)
	}
	return names
}
