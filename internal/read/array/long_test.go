package array_test

import "flag"

var long = flag.Bool("long", false, "read arrays of every type in every order")
