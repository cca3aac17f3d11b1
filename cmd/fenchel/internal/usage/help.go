// Package usage has help, the completion of command lines, and answers to unknown flags.
package usage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
)

// placeholders stand for the values of flags in the help; others are by type.
var placeholders = map[string]string{
	"output": "FILE", "trace": "FILE", "valid": "DATA", "group": "COLUMN", "search": "RANGES", "labels": "FILE", "test": "DATA", "train": "DATA", "richer": "MODEL", "full": "MODEL", "table": "FILE", "figure": "FILE", "data": "DATA", "shared": "FILE", "like": "MODEL", "resume": "MODEL", "save": "FILE", "restore": "FILE",
	"target": "COLUMN", "weights": "COLUMN", "id": "COLUMN", "ignore": "COLUMNS", "categorical": "COLUMNS", "numeric": "COLUMNS", "missing": "WORDS", "dates": "ORDER",
	"class-weight": "WEIGHTS", "cost": "COSTS", "threshold": "NUMBER", "cache": "SIZE", "components": "K", "listen": "ADDRESS", "token-file": "FILE", "cert": "FILE", "key": "FILE",
}

// HelpWidth is how many columns of a terminal help takes at most, and helpIndent where
// the text of a flag begins.
const HelpWidth, helpIndent = 80, 27

// PrintHelp writes the description of a command, and how to call it.
func PrintHelp(cmd *cobra.Command, _ []string) {
	for _, paragraph := range strings.Split(cmp.Or(cmd.Long, cmd.Short), "\n\n") {
		if !strings.HasPrefix(paragraph, " ") && !strings.HasPrefix(paragraph, "\t") { // a formula or table
			paragraph = strings.Join(exitcode.Wrap(paragraph, HelpWidth), "\n")
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", paragraph)
	}
	if cmd.Runnable() || cmd.HasSubCommands() {
		fmt.Fprint(cmd.OutOrStdout(), cmd.UsageString())
	}
}

// PrintUsage writes what help says after the description of a command: how to call it,
// examples, commands below it, and its flags in groups.
func PrintUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprint(w, "Usage:\n")
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	} else {
		fmt.Fprintf(w, "  %s COMMAND [flags]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				PrintEntry(w, "  "+c.Name(), 15, c.Short)
			}
		}
	}
	if cmd.HasHelpSubCommands() {
		fmt.Fprint(w, "\nTopics:\n")
		for _, c := range cmd.Commands() {
			if c.IsAdditionalHelpTopicCommand() {
				PrintEntry(w, "  "+c.Name(), 15, c.Short)
			}
		}
	}
	for _, group := range Grouped(cmd) {
		fmt.Fprintf(w, "\n%s:\n", group.Title)
		for _, f := range group.Flags {
			name, text := describeFlag(f)
			PrintEntry(w, name, helpIndent, text)
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse \"%s COMMAND --help\" for more about a command.\n", cmd.CommandPath())
	}
	return nil
}

// PrintEntry writes a name and its text, which begins at a column and is wrapped.
func PrintEntry(w io.Writer, name string, column int, text string) {
	if utf8.RuneCountInString(name) >= column-1 {
		fmt.Fprintln(w, name)
		name = ""
	}
	for _, line := range exitcode.Wrap(text, HelpWidth-column) {
		fmt.Fprintf(w, "%-*s%s\n", column, name, line)
		name = ""
	}
}

// A flagGroup is a title and the flags of one verb below it.
type flagGroup struct {
	Title string
	Flags []*pflag.Flag
}

// Grouped returns the flags of cmd in groups; those that no group has are in one without
// a title at the end.
func Grouped(cmd *cobra.Command) []flagGroup {
	var groups []flagGroup
	seen := map[string]bool{}
	for _, g := range printing.FlagGroups {
		group := flagGroup{Title: g.Title}
		for _, name := range g.Flags {
			if f := cmd.Flags().Lookup(name); f != nil && !f.Hidden {
				group.Flags = append(group.Flags, f)
				seen[name] = true
			}
		}
		groups = append(groups, group)
	}
	others := flagGroup{Title: "Other flags"}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !seen[f.Name] && !f.Hidden {
			others.Flags = append(others.Flags, f)
		}
	})
	return slices.DeleteFunc(append(groups, others), func(g flagGroup) bool { return g.Flags == nil })
}

// describeFlag returns how a flag is given, and what it does with its default.
func describeFlag(f *pflag.Flag) (name, text string) {
	name, text = "      --"+f.Name, f.Usage
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	if kind := f.Value.Type(); kind != "bool" {
		name += " " + cmp.Or(placeholders[f.Name], placeholderOf(kind))
	}
	zero := []string{"", "0", "0s", "false", "[]"}
	if !slices.Contains(zero, f.DefValue) && !strings.Contains(text, "(default") {
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return name, text
}

// placeholderOf stands for a value of a type.
func placeholderOf(kind string) string {
	switch kind {
	case "float64":
		return "X"
	case "int", "int64", "uint64":
		return "N"
	case "duration":
		return "TIME"
	}
	return "NAME"
}
