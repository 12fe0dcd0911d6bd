// Compiling the header alone proves that it needs nothing before it. The file also makes the package
// manager rebuild the Swift entry points when the header changes.
#include "pinview.h"
