package onnx

import "flag"

var long = flag.Bool("long", false, "compare 10,000 rows of every kind of model with ONNX Runtime")
