// The unwinder, which the Swift runtime and libstdc++ call. Nothing unwinds through the library: it
// has no tables for that (Distribution/pinview.ld), so that the real unwinder finds no frame either.
// The library is linked with `--wrap` for each of these, since loading libgcc_s for them takes a
// fifth of the time of dlopen.
#include <stdlib.h>
#include <unwind.h>

_Unwind_Reason_Code __wrap__Unwind_Backtrace(_Unwind_Trace_Fn trace, void *argument) {
    (void)trace, (void)argument;
    return _URC_END_OF_STACK;
}

// A C++ exception without a handler: libstdc++ ends the process.
_Unwind_Reason_Code __wrap__Unwind_RaiseException(struct _Unwind_Exception *exception) {
    (void)exception;
    return _URC_END_OF_STACK;
}

_Unwind_Reason_Code __wrap__Unwind_Resume_or_Rethrow(struct _Unwind_Exception *exception) {
    (void)exception;
    return _URC_END_OF_STACK;
}

// Only called while something unwinds, as all below.
void __wrap__Unwind_Resume(struct _Unwind_Exception *exception) {
    (void)exception;
    abort();
}

void __wrap__Unwind_DeleteException(struct _Unwind_Exception *exception) { (void)exception; }

_Unwind_Ptr __wrap__Unwind_GetIP(struct _Unwind_Context *context) {
    (void)context;
    return 0;
}

_Unwind_Ptr __wrap__Unwind_GetIPInfo(struct _Unwind_Context *context, int *is_before) {
    (void)context;
    *is_before = 0;
    return 0;
}

_Unwind_Ptr __wrap__Unwind_GetRegionStart(struct _Unwind_Context *context) {
    (void)context;
    return 0;
}

_Unwind_Ptr __wrap__Unwind_GetTextRelBase(struct _Unwind_Context *context) {
    (void)context;
    return 0;
}

_Unwind_Ptr __wrap__Unwind_GetDataRelBase(struct _Unwind_Context *context) {
    (void)context;
    return 0;
}

void *__wrap__Unwind_GetLanguageSpecificData(struct _Unwind_Context *context) {
    (void)context;
    return NULL;
}

void __wrap__Unwind_SetGR(struct _Unwind_Context *context, int number, _Unwind_Word value) {
    (void)context, (void)number, (void)value;
}

void __wrap__Unwind_SetIP(struct _Unwind_Context *context, _Unwind_Ptr value) { (void)context, (void)value; }
