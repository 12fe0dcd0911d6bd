# Pinview. `make help` lists the targets.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
DATADIR ?= $(PREFIX)/share
DESTDIR ?=

# All build products go here; git ignores this folder.
BUILD ?= .build
# Input of the demo; any GeoJSON feed of the USGS works.
FEED ?= Examples/earthquakes.geojson
# How long the demo compares the two views.
DEMO_SECONDS ?= 8

VERSION := $(shell sed -n 's/^\#define PINVIEW_VERSION_STRING *"\([^"]*\)".*/\1/p' include/pinview.h)
SONAME := libpinview.so.0
LIBRARY := libpinview.so.$(VERSION)

# The finished library, in the layout of an installation.
DIST := $(abspath $(BUILD))/dist
VENV := $(abspath $(BUILD))/venv
PYTHON := $(VENV)/bin/python
DOCS_VENV := $(abspath $(BUILD))/docs-venv
BENCH_PYTHON := $(abspath $(BUILD))/benchmarks/venv/bin/python

LIBRARY_SOURCES := Package.swift $(wildcard Distribution/pinview.* Distribution/static-libraries/*.pc) Makefile $(shell find Sources include -type f)
PYTHON_SOURCES := $(shell find bindings/python -type f -not -path '*/.*_cache/*' -not -path '*/__pycache__/*' -not -path '*/tests/*')

# glibc 2.36 and newer can load packed relocations, which save half a megabyte. Older ones cannot load such a library.
GLIBC_MINOR := $(lastword $(subst ., ,$(shell getconf GNU_LIBC_VERSION 2>/dev/null)))
PACKED_RELOCATIONS := $(shell [ "$(GLIBC_MINOR)" -ge 36 ] 2>/dev/null && echo -Xlinker -z -Xlinker pack-relative-relocs)

# The Swift runtime is linked in, only the functions of the header are exported, and the library is
# never unloaded, because threads of contexts cannot be stopped. For size, this build leaves out checks
# of exclusive access (the debug builds of the tests have them), reflection metadata, duplicate code,
# and the standard library's regular expressions, 1.5 MB that a search in a string would pull in. These
# are flags and not settings in Package.swift because they must not apply to the tests. When an allocation
# of the runtime fails, the library says so before it aborts (Sources/CPinview/out_of_memory.c). The names of
# Unicode's characters stay out (Sources/CPinview/unicode_names.c), and so does PCRE2's compiler to machine code
# (Sources/CPinview/pcre2_without_jit.c). Functions that take closures are not copied for each of them, which saves 0.3 MB. Functions that glibc has since 2.35 are replaced
# (Sources/CPinview/older_glibc.c), and so is the search for the program's arguments (Sources/CPinview/command_line.c). Debug symbols of C are DWARF 4 like Swift's: valgrind of Debian 12 stops at a mixture.
# libstdc++, of which the Swift runtime needs little, is linked in, because loading the shared one takes longer than loading this library;
# the linker finds the static one in a folder of its own, and its decoder of C++ names stays out (Sources/CPinview/cxx_names.c).
# libgcc_s would only be loaded for its unwinder, which can do nothing here (Sources/CPinview/unwinding.c).
CXX_RUNTIME := $(BUILD)/cxx-runtime
UNWINDER := Backtrace RaiseException Resume_or_Rethrow Resume DeleteException GetIP GetIPInfo GetRegionStart GetTextRelBase \
	GetDataRelBase GetLanguageSpecificData SetGR SetIP
# Each function is a section, which the linker can leave out, fold with an equal one, and move. That saves half a megabyte, and
# the functions of the hot paths lie together on few pages (Distribution/pinview.order, which `make function-order` measures).
FUNCTION_ORDER := --symbol-ordering-file=$(CURDIR)/Distribution/pinview.order
LIBRARY_FLAGS := -c release --product PinviewC --scratch-path $(BUILD)/library --disable-local-rpath \
	-Xswiftc -static-stdlib -Xswiftc -use-ld=lld -Xswiftc -DPINVIEW_C_LIBRARY \
	-Xswiftc -enforce-exclusivity=unchecked -Xswiftc -Xfrontend -Xswiftc -disable-reflection-metadata \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xlinker --icf=all \
	-Xlinker $(FUNCTION_ORDER) -Xlinker --no-warn-symbol-ordering \
	-Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import \
	-Xswiftc -Xllvm -Xswiftc -sil-disable-pass=closure-specialize \
	-Xlinker --version-script=$(CURDIR)/Distribution/pinview.map -Xlinker -T -Xlinker $(CURDIR)/Distribution/pinview.ld -Xlinker -soname=$(SONAME) \
	-Xlinker --wrap=swift_slowAlloc -Xlinker --wrap=_swift_stdlib_getScalarName \
	-Xlinker --wrap=pcre2_jit_match_8 -Xlinker --wrap=_pcre2_jit_check_exec_8 -Xlinker --wrap=_pcre2_jit_free_8 \
	-Xlinker -L$(abspath $(CXX_RUNTIME)) -Xlinker --wrap=__cxa_demangle $(UNWINDER:%=-Xlinker --wrap=_Unwind_%) \
	-Xlinker --wrap=_swift_stdlib_getUnsafeArgvArgc -Xlinker --wrap=hypotf -Xlinker --wrap=arc4random_buf -Xlinker -znodelete -Xlinker -zdefs -Xcc -gdwarf-4

# PCRE2, expat and zlib are linked from their static archives with hidden symbols (Distribution/pinview.map). SwiftPM asks pkg-config,
# which finds our files first.
STATIC_LIBRARIES := PINVIEW_C_LIBRARY=1 PKG_CONFIG_PATH=$(CURDIR)/Distribution/static-libraries:$$PKG_CONFIG_PATH

# The time of all files in the wheel, so that two builds give the same bytes.
WHEEL_DATE ?= 1577836800

export BUILD DIST VENV PYTHON VERSION WHEEL_DATE
export DURATION SEED

.DELETE_ON_ERROR:
.PHONY: all library static header pkg-config examples demo demo-c demo-python test test-swift test-c test-python test-header test-readme test-counts kills test-faults test-hostile-files test-hostile-calls ceilings function-order random \
	sanitize soak faults hostile-files hostile-calls mutants test-sqlite fuzz bench bench-quick bench-native bench-python bench-load bench-scale bench-explore bench-build bench-grdb bench-data bench-generations install uninstall wheel lint format clean help need-build need-test need-python need-wheel need-docs docs manual

## all: the library, its debug symbols, its header and its pkg-config file, in .build/dist (the default)
all: library static header pkg-config
	@echo "libpinview $(VERSION) is in $(BUILD)/dist: lib/$(LIBRARY), include/pinview.h, lib/pkgconfig/pinview.pc"

library: $(DIST)/lib/$(LIBRARY)

## static: libpinview.a, which has the Swift runtime inside, in .build/dist/lib
static: $(DIST)/lib/libpinview.a
HEADERS := $(DIST)/include/pinview.h $(DIST)/include/pinview_binding.h

header: $(HEADERS)
pkg-config: $(DIST)/lib/pkgconfig/pinview.pc

need-build:
	@scripts/require swift pkg-config cc sqlite3.h pcre2.h libpcre2-8.a expat.h libexpat.a zlib.h libz.a
need-test: need-build
	@scripts/require c++ python3 venv Python.h valgrind sqlite3
need-python:
	@scripts/require python3 venv
need-docs:
	@scripts/require doxygen python3
need-wheel:
	@scripts/require cc python3 venv Python.h

$(DIST)/lib/$(LIBRARY): $(LIBRARY_SOURCES) | need-build
	@mkdir -p $(@D) $(CXX_RUNTIME)
	@ln -sf "$$(cc -print-file-name=libstdc++.a)" $(CXX_RUNTIME)/libstdc++.a
	$(STATIC_LIBRARIES) swift build $(LIBRARY_FLAGS) $(PACKED_RELOCATIONS)
	strip -o $@ $(BUILD)/library/release/libPinviewC.so
	objcopy --only-keep-debug --compress-debug-sections=zlib $(BUILD)/library/release/libPinviewC.so $(@D)/libpinview.so.debug
	cd $(@D) && objcopy --add-gnu-debuglink=libpinview.so.debug $(LIBRARY)
	ln -sf $(LIBRARY) $(@D)/$(SONAME)
	ln -sf $(SONAME) $(@D)/libpinview.so

$(DIST)/lib/libpinview.a: $(DIST)/lib/$(LIBRARY) scripts/static-library
	scripts/static-library $(BUILD)/library/release/PinviewC.product/Objects.LinkFileList $< $@

$(DIST)/include/%.h: include/%.h
	@mkdir -p $(@D)
	cp $< $@

$(DIST)/lib/pkgconfig/pinview.pc: Distribution/pinview.pc.in include/pinview.h
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(DIST)|' -e 's|@LIBDIR@|$${prefix}/lib|' -e 's|@INCLUDEDIR@|$${prefix}/include|' -e 's|@VERSION@|$(VERSION)|' $< > $@

## manual: man pages of the C interface, in .build/docs/man, and what `make docs` needs of it
manual: | need-docs
	@rm -rf $(BUILD)/docs/man $(BUILD)/docs-source/xml && mkdir -p $(BUILD)/docs $(BUILD)/docs-source
	@doxygen docs/Doxyfile
	@rm -f $(BUILD)/docs/man/man3/@*.3
	@echo "man -M $(BUILD)/docs/man pinview_context_fetch"

## docs: the documentation as one static site, in .build/docs: the guide, the references of C, Python and Swift, a search
docs: manual library $(DOCS_VENV)/.tools
	@docs/site/symbol-graphs $(BUILD) $(BUILD)/docs-source/swift-graphs
	@PYTHONPATH=bindings/python PYTHONDONTWRITEBYTECODE=1 PINVIEW_LIBRARY=$(DIST)/lib/$(SONAME) $(DOCS_VENV)/bin/python docs/site/build.py $(BUILD) $(VERSION)
	@# The Swift modules once more as an archive for Xcode and for web servers, with articles: its pages need a server.
	@mkdir -p $(BUILD)/docs-docc
	@PYTHONDONTWRITEBYTECODE=1 python3 docs/site/docc_articles.py $(BUILD)/docs-source/swift-graphs $(BUILD)/docs-source/Pinview.docc
	@! command -v docc >/dev/null || docc convert $(BUILD)/docs-source/Pinview.docc --additional-symbol-graph-dir $(BUILD)/docs-source/swift-graphs \
		--output-path $(BUILD)/docs-docc/Pinview.doccarchive --fallback-display-name Pinview --fallback-bundle-identifier pinview \
		--transform-for-static-hosting --diagnostic-level warning >$(BUILD)/docs-source/docc.log 2>&1 || { cat $(BUILD)/docs-source/docc.log; exit 1; }
	@# Comments are links within a module for DocC, so that those into other modules are warnings; articles have none.
	@! grep --before-context 1 --after-context 3 -E -e '--> \S+\.md:' $(BUILD)/docs-source/docc.log 2>/dev/null
	@echo "$(BUILD)/docs/index.html"

$(DOCS_VENV)/.tools: docs/site/requirements.txt | need-python
	python3 -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

## demo: pinned and unpinned views of earthquakes while a second process writes (FEED=file.geojson DEMO_SECONDS=8)
demo: demo-c demo-python

## demo-c: the C half of the demo
demo-c: $(BUILD)/examples/quakes
	@$(BUILD)/examples/quakes --seconds $(DEMO_SECONDS) $(FEED)

## demo-python: the Python half of the demo
demo-python: library | need-python
	@PYTHONPATH=bindings/python PINVIEW_LIBRARY=$(DIST)/lib/$(SONAME) python3 Examples/quakes/quakes.py --seconds $(DEMO_SECONDS) $(FEED)

examples: $(BUILD)/examples/quakes

QUAKES := $(wildcard Examples/quakes/*.c)
$(BUILD)/examples/quakes: $(QUAKES) $(wildcard Examples/quakes/*.h) $(DIST)/lib/$(LIBRARY) $(DIST)/include/pinview.h
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I$(DIST)/include $(QUAKES) -o $@ -L$(DIST)/lib -lpinview -lsqlite3 -lm -Wl,-rpath,$(DIST)/lib

## test: all tests; the last line has the numbers of passed and failed tests
test: | need-test
	+@scripts/test build swift c python header readme counts faults hostile-files hostile-calls

## test-swift: the Swift tests (FILTER=name to select)
test-swift: | need-build
	@scripts/test swift

## random: random sequences compared with naive models, in Swift (ROUNDS=100 or SECONDS=3600, SEED=1, FEATURES=-undo for whole stacks)
ROUNDS ?= 100
random: | need-build
	$(if $(SECONDS),PINVIEW_SECONDS=$(SECONDS),PINVIEW_ROUNDS=$(ROUNDS)) PINVIEW_SEED=$(or $(SEED),1) $(if $(FEATURES),PINVIEW_FEATURES=$(FEATURES)) \
		FILTER='RandomTests|StackTests|DeadlockHuntTests|RandomMigrationTests' scripts/test swift

## kills: kills migrations at random moments, and as many in stages, KILLS=150 of each, SEED=1 DURATION=seconds
kills: wheel | need-test
	@rm -rf $(abspath $(BUILD))/kills && $(VENV)/bin/python -m pip install -q --disable-pip-version-check --no-index --no-deps \
		--target $(abspath $(BUILD))/kills $(BUILD)/wheel/*.whl
	cd $(BUILD)/kills && PINVIEW_KILLS=$(or $(KILLS),150) PINVIEW_SEED=$(or $(SEED),1) $(if $(DURATION),PINVIEW_SECONDS=$(DURATION)) \
		PYTHONPATH=$(abspath $(BUILD))/kills $(VENV)/bin/pytest -q -s -p no:cacheprovider -c $(CURDIR)/bindings/python/pyproject.toml \
		--rootdir $(CURDIR)/bindings/python $(CURDIR)/bindings/python/tests/stack/test_migration_kills.py -k aKilled

## test-c: the C tests, under valgrind (FILTER=text to select)
test-c: all | need-test
	@scripts/test c

## test-python: the Python tests, against the built wheel
test-python: wheel | need-test
	@scripts/test python

## test-header: checks of the header, library, installation, wheel and demo
test-header: all wheel examples | need-test
	@scripts/test header

## test-counts: allocations, statements and instructions of the hot paths against their ceilings
test-counts: all | need-test
	@scripts/test counts

## ceilings: writes the current counts as the ceilings of test-counts
ceilings: all | need-test
	@python3 Tests/Counts/test_counts.py

## test-readme: runs the programs of README.md and docs, checks links and paths
test-readme: all wheel | need-test
	@scripts/test readme

## sanitize: the Swift tests under the thread and address sanitizers, the C tests under the latter
sanitize: | need-test
	@scripts/test swift-thread swift-address c-address

## soak: the stress test of pinned generations, DURATION=60 seconds, SEED=n; ends with the number of mismatches
soak: | need-test
	@scripts/soak

## faults: makes system calls fail while a program uses a store, DURATION=60 seconds, SEED=1
faults: all | need-test
	@Tests/Faults/run --seconds $(or $(DURATION),60) --seed $(or $(SEED),1)

## hostile-calls: calls every function of the header with random arguments on several threads, DURATION=60 SEED=1 (VALGRIND=1)
hostile-calls: all | need-test
	@Tests/HostileCalls/run --seconds $(or $(DURATION),60) --seed $(or $(SEED),1) $(if $(VALGRIND),--valgrind --calls 300)

## test-hostile-calls: a short run of hostile-calls, part of it under valgrind
test-hostile-calls: all | need-test
	@scripts/test hostile-calls

## test-faults: a short run of faults
test-faults: all | need-test
	@scripts/test faults

## hostile-files: opens and uses damaged and malicious stores, DURATION=60 SEED=1
hostile-files: all | need-test
	@python3 Tests/HostileFiles/run --seconds $(or $(DURATION),60) --seed $(or $(SEED),1)

## test-hostile-files: a short run of hostile-files
test-hostile-files: all | need-test
	@scripts/test hostile-files

## function-order: writes the functions of the hot paths as the order in which they are linked (Distribution/pinview.order)
function-order: all | need-test
	@python3 Tests/Counts/function_order.py
	@$(MAKE) --no-print-directory library

## mutants: plants COUNT=150 mistakes in the Swift modules (SEED=1 JOBS=1) and reports which of them no Swift test finds
mutants: | need-test
	@Tests/Mutants/run --count $(or $(COUNT),150) --seed $(or $(SEED),1) $(if $(DURATION),--seconds $(DURATION)) $(if $(JOBS),--jobs $(JOBS))

## test-sqlite: the Swift, C and Python tests on other versions of SQLite, built from source (VERSIONS="3.46.1" PARTS="swift"; another archive: ARCHIVE=URL SUITES="jammy" KEYRING=FILE)
test-sqlite: all wheel | need-test
	@scripts/sqlite-versions $(if $(PARTS),--parts "$(PARTS)") $(VERSIONS)

## fuzz: fuzzes the predicate parser, from its grammar and from bytes, and the readers of models, DURATION=60 SEED=n
fuzz: | need-build
	@scripts/fuzz

# As the README recommends: with the Swift runtime linked statically, like libpinview.so.
BENCH_SWIFT := swift build -c release --static-swift-stdlib --package-path Benchmarks --scratch-path $(abspath $(BUILD))/benchmarks --product

## bench-generations: measures the cost of pinned generations and updates docs/performance.md (BENCH_QUICK=1 only prints)
bench-generations: | need-build
	swift build -c release --product EngineBenchmarks --scratch-path $(BUILD) -Xswiftc -enforce-exclusivity=unchecked
	$(BENCH_SWIFT) pinview-benchmarks
	@mkdir -p $(BUILD)/results
	$(BENCHMARKS) generations $(if $(BENCH_QUICK),--quick,--readme docs/performance.md) \
		--program engine=$(BUILD)/release/EngineBenchmarks --json $(BUILD)/results/bench-generations.json

## bench-data: the flights that the benchmarks read, in .build/benchmarks/flights.sqlite
bench-data: library $(BUILD)/benchmarks/venv/.tools
	@PYTHONPATH=bindings/python PINVIEW_LIBRARY=$(DIST)/lib/$(SONAME) $(BENCH_PYTHON) Benchmarks/Python/make_store.py \
		flights $(BUILD)/benchmarks/flights.sqlite

$(BUILD)/benchmarks/venv/.tools: Benchmarks/Python/requirements.txt | need-python
	python3 -m venv $(BUILD)/benchmarks/venv
	$(BENCH_PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The installed package, with its accelerator.
BENCH_PACKAGE := $(abspath $(BUILD))/benchmarks/package

$(BENCH_PACKAGE)/.installed: $(BUILD)/wheel/.built $(BUILD)/benchmarks/venv/.tools
	rm -rf $(@D)
	$(BENCH_PYTHON) -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target $(@D) $(BUILD)/wheel/*.whl
	@touch $@

BENCHMARKS := $(BUILD)/benchmarks/release/pinview-benchmarks

BENCHMARK_C := $(BUILD)/benchmarks/benchmark-c
LOAD_C := $(BUILD)/benchmarks/load
BENCH = PINVIEW_BENCHMARK_DATA=$(BUILD)/benchmarks PYTHONPATH=$(BENCH_PACKAGE) PINVIEW_LIBRARY=$(DIST)/lib/$(SONAME) $(BENCHMARKS)

bench-build: $(BENCHMARK_C) $(LOAD_C) | need-build
	$(BENCH_SWIFT) pinview-benchmarks

bench-grdb: | need-build
	$(BENCH_SWIFT) grdb-benchmarks

$(BENCHMARK_C): $(filter-out %/load.c,$(wildcard Benchmarks/C/*.[ch])) $(wildcard Benchmarks/Sources/RawSQLite/*.[ch] Benchmarks/Sources/RawSQLite/include/*.h) $(DIST)/lib/$(LIBRARY) $(DIST)/include/pinview.h
	@mkdir -p $(@D)
	cc -std=gnu11 -O2 -Wall -Wextra -Werror -I$(DIST)/include -IBenchmarks/Sources/RawSQLite/include $(filter %.c,$^) -o $@ \
		-L$(DIST)/lib -lpinview -lsqlite3 -lpthread -Wl,-rpath,$(DIST)/lib

$(LOAD_C): Benchmarks/C/load.c
	@mkdir -p $(@D)
	cc -std=gnu11 -O2 -Wall -Wextra -Werror $< -o $@ -ldl

## bench: measures all workloads and updates docs/performance.md (WORKLOADS="w1-read-all …" prints some of them)
bench: bench-native bench-python bench-load bench-scale

## bench-quick: the same in about two minutes with little data; only prints
bench-quick: bench-build bench-grdb bench-data
	@$(MAKE) --no-print-directory bench-native BENCH_SCALE="--quick --rounds 2"
	@$(MAKE) --no-print-directory bench-python bench-load bench-scale BENCH_SCALE="--quick --rounds 1"

BENCH_PUBLISHES := $(if $(WORKLOADS)$(BENCH_SCALE),,yes)
# Each group writes JSON. The page and its chart are rewritten only when the whole group was measured.
BENCH_OUTPUT = $(BENCH_SCALE) --json $(BUILD)/results/bench-$(1).json $(if $(BENCH_PUBLISHES),--readme docs/performance.md $(2))
BENCH_CHART = --chart docs/benchmark-$(1).svg

bench-native: bench-build bench-grdb bench-data
	@mkdir -p $(BUILD)/results
	$(BENCH) workloads $(WORKLOADS) $(call BENCH_OUTPUT,workloads,$(call BENCH_CHART,workloads)) --program c=$(BENCHMARK_C) \
		--program grdb=$(BUILD)/benchmarks/release/grdb-benchmarks

bench-python: bench-build bench-data $(BENCH_PACKAGE)/.installed
	@mkdir -p $(BUILD)/results
	$(BENCH) python $(WORKLOADS) $(call BENCH_OUTPUT,python,$(call BENCH_CHART,python)) --program "python=$(BENCH_PYTHON) Benchmarks/Python"

bench-load: bench-build bench-data $(BENCH_PACKAGE)/.installed
	@mkdir -p $(BUILD)/results
	$(BENCH) load $(call BENCH_OUTPUT,load) --program c=$(BENCHMARK_C) --program load=$(LOAD_C) \
		--program "import=$(BENCH_PYTHON) Benchmarks/Python/load.py"

bench-scale: bench-build
	@mkdir -p $(BUILD)/results
	$(BENCH) scale $(call BENCH_OUTPUT,scale,$(call BENCH_CHART,scale))

## bench-explore: work on random schemas by hand in SQL and through Pinview, in Python and Swift, by kind of work (SEED=1 SCHEMAS=5 ROWS=1000)
bench-explore: $(BENCH_PACKAGE)/.installed | need-build
	$(BENCH_SWIFT) pinview-explore
	@PYTHONPATH=$(BENCH_PACKAGE) PINVIEW_LIBRARY= $(BENCH_PYTHON) Benchmarks/Explore --seed $(or $(SEED),1) --schemas $(or $(SCHEMAS),5) --rows $(or $(ROWS),1000) \
		--swift $(abspath $(BUILD))/benchmarks/release/pinview-explore

## install: installs into PREFIX (default /usr/local), below DESTDIR if given
install: all
	install -d $(DESTDIR)$(LIBDIR) $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(PKGCONFIGDIR) $(DESTDIR)$(DATADIR)/pinview
	install -m 755 $(DIST)/lib/$(LIBRARY) $(DESTDIR)$(LIBDIR)/$(LIBRARY)
	ln -sf $(LIBRARY) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpinview.so
	install -m 644 $(DIST)/lib/libpinview.so.debug $(DIST)/lib/libpinview.a $(DESTDIR)$(LIBDIR)/
	install -m 644 include/pinview.h include/pinview_binding.h $(DESTDIR)$(INCLUDEDIR)/
	install -m 644 include/pinview.json Distribution/pinview.supp $(DESTDIR)$(DATADIR)/pinview/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		Distribution/pinview.pc.in > $(DESTDIR)$(PKGCONFIGDIR)/pinview.pc
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

## uninstall: removes what install installed
uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/$(LIBRARY) $(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(LIBDIR)/libpinview.so \
		$(DESTDIR)$(LIBDIR)/libpinview.so.debug $(DESTDIR)$(LIBDIR)/libpinview.a $(DESTDIR)$(DATADIR)/pinview/pinview.json $(DESTDIR)$(DATADIR)/pinview/pinview.supp \
		$(DESTDIR)$(INCLUDEDIR)/pinview.h $(DESTDIR)$(INCLUDEDIR)/pinview_binding.h $(DESTDIR)$(PKGCONFIGDIR)/pinview.pc

## wheel: the Python package with the library inside, in .build/wheel
wheel: $(BUILD)/wheel/.built

# The library without packed relocations, for machines with an older glibc.
WHEEL_LIBRARY := $(DIST)/wheel/libpinview.so.0

.PHONY: wheel-library
wheel-library: $(WHEEL_LIBRARY) header

$(WHEEL_LIBRARY): $(DIST)/lib/$(LIBRARY)
	$(if $(PACKED_RELOCATIONS),$(STATIC_LIBRARIES) swift build $(LIBRARY_FLAGS))
	@mkdir -p $(@D)
	strip -o $@ $(BUILD)/library/release/libPinviewC.so

# Built from a copy, so that nothing is left behind in the source folder. PINVIEW_LIBRARY names the library that the
# package includes.
$(BUILD)/wheel/.built: $(PYTHON_SOURCES) $(WHEEL_LIBRARY) $(HEADERS) $(VENV)/.tools | need-wheel
	rm -rf $(@D)
	mkdir -p $(@D)/source
	cp -R bindings/python/. $(@D)/source
	SOURCE_DATE_EPOCH=$(WHEEL_DATE) PINVIEW_LIBRARY=$(WHEEL_LIBRARY) $(PYTHON) -m build --wheel --no-isolation --outdir $(@D) $(@D)/source
	rm -rf $(@D)/source
	@touch $@

## lint: checks format and style of Swift, Python, C and shell
lint: $(VENV)/.tools | need-build
	@scripts/lint

## format: reformats the Swift and Python sources
format: $(VENV)/.tools | need-build
	swift format --in-place --recursive Sources Tests Benchmarks Package.swift
	$(VENV)/bin/ruff format bindings/python Benchmarks Examples Tests docs/site

$(PYTHON): | need-python
	python3 -m venv $(VENV)

$(VENV)/.tools: Makefile | $(PYTHON)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check build setuptools wheel pytest mypy ruff pycparser apsw
	@# Columns are tested with those of these packages that can be installed; Pinview needs none of them.
	@# Declared classes are checked with those of the type checkers that can be installed, and hold values of pydantic.
	@# The wheel is checked with those of these tools that can be installed.
	@for package in numpy pyarrow pandas polars pydantic textual "pyright[nodejs]" pyrefly ty auditwheel twine; do \
		$(PYTHON) -m pip install --quiet --disable-pip-version-check --only-binary :all: "$$package" || echo "without $$package: its tests are skipped"; \
	done
	@touch $@

## clean: removes everything that was built
clean:
	rm -rf $(BUILD)

## help: prints this list
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-18s %s\n", $$1, $$2 }'
