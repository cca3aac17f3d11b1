package dataset

import "syscall"

// populate maps all pages at once, which is cheaper than a fault for each.
const populate = syscall.MAP_POPULATE
