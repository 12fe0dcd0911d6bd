// zlib for Swift, which cannot import the macros that begin a stream.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/// Begins to inflate data without a header.
static inline int pinview_inflate_raw_init(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}

#endif
