package block

import "flag"

var long = flag.Bool("long", false, "repeat runs on random axes more often")
