#!/usr/bin/env bash
# usage: Tests/header-proofs.sh [LIBRARY]
#
# Proofs about include/pinview.h and pinview_binding.h: each compiles alone, twice, in every
# dialect; the functions that they declare and the symbols that the library exports are the same
# set; the layouts asserted in Tests/C/Interface/constants.c hold. LIBRARY is the finished library (default
# .build/dist/lib/libpinview.so). Closes with 'N passed, N failed'.
set -uo pipefail
cd "$(dirname "$0")/.."
library=${1:-${DIST:-.build/dist}/lib/libpinview.so}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

# proof NAME COMMAND...
proof() {
    local name=$1
    shift
    if "$@" >"$folder/log" 2>&1; then
        echo "ok     $name"
        passed=$((passed + 1))
    else
        echo "FAILED $name"
        sed 's/^/    /' "$folder/log"
        failed=$((failed + 1))
    fi
}

warnings=(-Wall -Wextra -Wpedantic -Werror)
for header in pinview pinview_binding; do
    printf '#include "%s.h"\n#include "%s.h"\nint main(void) { return 0; }\n' "$header" "$header" >"$folder/twice.c"
    cp "$folder/twice.c" "$folder/twice.cpp"
    for standard in c99 c11; do
        proof "$header.h alone and twice as $standard" cc "-std=$standard" "${warnings[@]}" -Wstrict-prototypes -Iinclude -fsyntax-only "$folder/twice.c"
    done
    for standard in c++11 c++17; do
        proof "$header.h alone and twice as $standard" c++ "-std=$standard" "${warnings[@]}" -Iinclude -fsyntax-only "$folder/twice.cpp"
    done
done
proof "sizes and offsets" cc -std=c11 "${warnings[@]}" -Iinclude -ITests/C/Support -fsyntax-only Tests/C/Interface/constants.c

# The preprocessor takes comments and macros away; what is left of a function is its name before a
# parenthesis.
declared() {
    cc -E -P -Iinclude "$folder/twice.c" | tr '\n' ' ' | sed 's/{[^{}]*}/;/g' | tr ';' '\n' | grep -v 'typedef' |
        grep -oE '\bpinview_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}
exported() { nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u; }

declared >"$folder/declared"
exported >"$folder/exported"
proof "functions are declared at all" test "$(wc -l <"$folder/declared")" -gt 100
proof "every declared function is exported" sh -c "comm -23 '$folder/declared' '$folder/exported' | tee /dev/stderr | wc -l | grep -qx 0"
proof "nothing else is exported" sh -c "comm -13 '$folder/declared' '$folder/exported' | tee /dev/stderr | wc -l | grep -qx 0"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
