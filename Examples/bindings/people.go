// Pinview from Go, through cgo. Build it with CGO_CFLAGS and CGO_LDFLAGS as pkg-config gives them.
package main

/*
#include <pinview.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

const model = `{"entities": [{"name": "Person", "attributes": [
    {"name": "name", "type": "string"}, {"name": "age", "type": "integer64"}]}]}`

// text is a C string that the caller frees.
func text(value string) *C.char { return C.CString(value) }

func check(status C.pinview_status) {
	if status == C.PINVIEW_OK {
		return
	}
	message := C.pinview_error_message(C.pinview_error_last())
	fmt.Fprintln(os.Stderr, C.GoStringN(message.data, C.int(message.size)))
	os.Exit(1)
}

func insert(context *C.pinview_context, name string, age int64) {
	entity, nameKey, ageKey, value := text("Person"), text("name"), text("age"), text(name)
	defer func() {
		for _, each := range []*C.char{entity, nameKey, ageKey, value} {
			C.free(unsafe.Pointer(each))
		}
	}()
	// What C reads through pointers is in C's memory.
	values := (*[2]C.pinview_named_value)(C.malloc(2 * C.sizeof_pinview_named_value))
	defer C.free(unsafe.Pointer(values))
	values[0] = C.pinview_named(nameKey, C.pinview_value_text(value))
	values[1] = C.pinview_named(ageKey, C.pinview_value_integer(C.int64_t(age)))
	check(C.pinview_insert(context, entity, &values[0], 2, nil, nil))
}

func main() {
	var context *C.pinview_context
	var people *C.pinview_result
	var person *C.pinview_object
	var index C.uint64_t
	json, entity, format, sort, nameKey, ageKey := text(model), text("Person"), text("age >= %d"), text("-age"), text("name"), text("age")
	check(C.pinview_open(json, nil, nil, 0, &context, nil))
	insert(context, "Ada", 36)
	insert(context, "Bob", 12)
	insert(context, "Cleo", 20)
	check(C.pinview_context_save(context, nil))
	least := C.pinview_value_integer(18)
	check(C.pinview_fetch(context, entity, format, &least, 1, sort, &people, nil))
	for C.pinview_next(people, &index, &person, nil) == 1 {
		fmt.Printf("%s\t%d\n", C.GoString(C.pinview_get_text(person, nameKey, nil, nil)), int64(C.pinview_get_integer(person, ageKey, 0, nil)))
	}
	C.pinview_result_release(people)
	C.pinview_context_release(context)
	for _, each := range []*C.char{json, entity, format, sort, nameKey, ageKey} {
		C.free(unsafe.Pointer(each))
	}
}
