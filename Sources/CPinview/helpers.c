// The symbols of the header's inline functions.
#define PINVIEW_INLINE
#include "pinview.h"
