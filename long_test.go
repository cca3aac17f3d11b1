package fenchel

import "flag"

// Long asks for what takes too long for every change: all forgeries of all fields, and larger sets.
var Long = flag.Bool("long", false, "forge every field of every model by every word, for minutes")
