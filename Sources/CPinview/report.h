// How the functions written in C fail: as all others do.
#ifndef PINVIEW_REPORT_H
#define PINVIEW_REPORT_H

#include "pinview.h"

// Makes an error, the thread's last one too, and returns its status. Defined in
// Sources/PinviewC/Handles/Errors.swift.
pinview_status internal_pinview_report(pinview_status status, const char *message, pinview_error **error)
    __attribute__((visibility("hidden")));
#define report internal_pinview_report

#endif
