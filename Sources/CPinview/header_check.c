// Compiling the headers alone proves that they need nothing before them. The file also makes the
// package manager rebuild the Swift entry points when a header changes.
#include "pinview_binding.h"
