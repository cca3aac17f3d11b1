package spectral

import "flag"

var long = flag.Bool("long", false, "repeat runs on random rows more often")
