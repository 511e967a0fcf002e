# make            builds ./train, ./sample, ./attend and ./export
# make setup      installs the packages that make, make demo and make test need (Debian, Ubuntu)
# make demo       trains on nine sentences, completes a prompt, writes a page; a minute or two
# make test       runs the tests; five minutes. Those that take long are left to make night
# make units      runs the tests written in C
# make sanitize   runs every test under the address and undefined-behaviour sanitizers
# make tsan       runs the unit tests, and runs on many threads, under the thread sanitizer
# make valgrind   runs the quicker unit tests and the demo, with a shorter training, in valgrind
# make fuzz       runs libFuzzer on every target of tests/fuzz, FUZZ_SECONDS=60 each
# make torture    kills runs, fails their system calls, fills disks; TORTURE_SECONDS=600 at most
# make analyze    runs gcc -fanalyzer, clang-tidy and cppcheck, and checks the formatting
# make aarch64    runs the unit tests and the demo on an emulated ARM processor
# make faults     plants faults in a copy and sees that the tests find each
# make same       compares the bits of many builds with tests/same/table.txt; BUILDS=FILE of others
# make night      runs all tests and all goals that find faults; some hours
# make parity     compares with PyTorch and Transformers, and with llama.cpp if PYTHON has it
# make browser    tests the page of ./attend in Chromium and Firefox; LOOKS=NAMES only these tests
# make bench      measures the speed, with TEXT=FILE on your text; bench-long takes longer
# make busy       measures how long programs take while others keep the processors busy
# make race       trains on TEXT=FILE against the clock, and in PyTorch; SECONDS=600, RUNS=NAMES
# make format     formats the code with clang-format
# make lab        builds a page that trains in any browser, build/lab/pulga.html
# make install    installs programs, manual pages and completion under PREFIX=/usr/local
# make uninstall  removes what make install installed
# make deb        builds a package for Debian or Ubuntu, build/deb/pulga_*.deb, and checks it
# make library    builds what import pulga calls within its own process, libpulga.so
# make notebooks  runs those of docs/notebooks and compares what they show; PYTHON=.venv/bin/python
# make wheel      builds a package for Python, build/wheel/pulga-*.whl
# make wheel-wasm builds that of WebAssembly, for every system; wheel-aarch64 that for ARM
# make wheel-windows builds that for Windows, build/wheel/windows/pulga-*.whl; wheels: all
# make wheel-macos builds those for macOS, build/wheel/macosx*/pulga-*.whl
# make wheel-test installs it into a new environment and tests it there; ENGINE=wasm WebAssembly's
# make windows    builds the programs for Windows, build/windows/*.exe, and a .zip of them
# make windows-test  tests those in wine
# make macos      builds the programs for macOS, build/macos/arm64/* and x86_64/*
# make macos-test reads what those and their wheels hold; nothing here runs them
# make clean      removes what make built
# make help       prints this list
#
# ARCH=x86-64-v3 builds for other machines than this one, OPENMP=0 without threads, CC=clang with
# clang, MPI=1 for training on several machines (docs/machines.md). V=1 shows the commands. The goals
# from demo to browser first install what they need, see scripts/setup.sh.

ON_MACOS := $(filter Darwin,$(shell uname))
PROCESSORS := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

# As many compilers run at once as there are processors, unless -j is given. Only here: goals as in
# `make clean all` must run one after the other.
ifeq ($(MAKELEVEL)$(filter-out all install,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(PROCESSORS)
endif

# The same for what a goal calls this Makefile for.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(PROCESSORS))

ARCH ?= native
OPENMP ?= 1
MPI ?= 0
MPICC ?= $(shell command -v mpicc)
PREFIX ?= /usr/local
PYTHON ?= python3
BUILD ?= build
BIN ?= .
# The tests of the programs, the largest file first: they take longest, mostly.
ALL_BATS = $(shell ls -S tests/programs/*.bats)
BATS ?= $(ALL_BATS)
# Which of their tests, as an option of bats: -f "a regular expression", or nothing for all. Those that
# take long have a tag.
PICK ?= --filter-tags !long
SANITIZE ?=
# A program that runs the programs and tests: an emulator, valgrind.
RUN ?=
# Units to build and run, and those to leave out.
ONLY ?= %
SKIP ?=
SETUP = CC='$(CC)' OPENMP='$(OPENMP)' MPI='$(MPI)' scripts/setup.sh

# Every processor and every compiler gives the same bits: without -ffast-math, sums keep their order
# and NAN stays NAN, and with -ffp-contract=off a product is rounded before something is added to it,
# except where the source says otherwise. -fno-math-errno and -fno-trapping-math change no result.
CFLAGS ?= -O3 -g -march=$(ARCH) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
override CFLAGS += -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math \
	-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(SANITIZE) \
	$(if $(filter 1,$(OPENMP)),-fopenmp,-fopenmp-simd)
# An include with a slash names a file of another room.
override CPPFLAGS += -D_GNU_SOURCE -I. $(if $(ON_MACOS),-include base/system/macos.h)
# Each program is linked only with the libraries it calls: only sample needs libedit.
# GNU's OpenMP is linked statically: in a shared library it would read the environment before
# base/parallel/threads.c has written there how to wait.
LDLIBS = $(AS_NEEDED) -lutf8proc -lcjson -lxxhash -ledit -lm $(GOMP)
AS_NEEDED := $(if $(ON_MACOS),,-Wl,--as-needed)
GOMP := $(if $(findstring clang,$(CC)),,$(if $(ON_MACOS),,-Wl,--wrap=GOMP_parallel) $(wildcard $(shell $(CC) -print-file-name=libgomp.a 2>/dev/null)))
# On a terminal a line counts what is built, and what there is to build if that is everything.
COUNT = $(if $(V),,@$(eval STEPS += $@)[ ! -t 1 ] || printf '  building $(words $(STEPS))$(OF)\r';) \
	mkdir -p $(@D) &&
LINK = $(COUNT) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(LDLIBS)
PACK = @rm -f $@ && $(AR) rcs $@ $^
# The stack protector guards the rooms that handle bytes from outside. In model/ it would cost half
# a percent of the speed.
GUARD = $(if $(filter model/%,$<),,-fstack-protector-strong)
COMPILE = $(COUNT) $(CC) $(CPPFLAGS) $(CFLAGS) $(GUARD) -MMD -MP -c -o $@ $<

NAMES = train sample attend export
PROGRAMS = $(NAMES:%=$(BIN)/%)
TINY = $(BIN)/tiny
ROOMS = base base/system base/files base/parallel base/numbers \
	model model/shape model/layers model/matrix model/matrix/kernels \
	text text/words text/subwords text/corpus formats formats/huggingface formats/run \
	programs/terminal programs/pictures programs/answer \
	programs/train programs/train/plan programs/train/team programs/train/saving \
	programs/sample programs/attend programs/attend/heads programs/attend/page programs/export
# The only file that knows MPI replaces programs/train/team/team.c in programs that are linked with it.
TEAM = programs/train/team/team_mpi.c
# What this system gives. WebAssembly has WASI in its place, and in that of
# programs/terminal/process.c; on Windows it is base/system/windows/.
SYSTEM = base/system/$(if $(ON_MACOS),macos,linux).c base/system/unix.c
WASI = base/system/wasi.c programs/terminal/process_wasi.c
# The prompt line where there is no libedit.
PROMPT = base/system/editline/readline.c
# What is called in the place of GNU's OpenMP, where that is linked.
GNU = base/parallel/gnu.c
PORTABLE = $(filter-out base/system/%.c $(TEAM) $(WASI) $(GNU),$(wildcard $(ROOMS:%=%/*.c)))
SOURCES = $(PORTABLE) $(SYSTEM)
# The tests of a room are in tests/ROOM and run on the float build. Those in tests/ROOM/double run on
# the same code with its number type set to double. All share tests/helpers. The programs in
# tests/tools are called by other tests.
HELPERS = $(wildcard tests/helpers/*.c)
TESTS = $(patsubst %.c,$(BUILD)/%,$(filter-out $(SKIP),$(filter $(ONLY),$(wildcard $(ROOMS:%=tests/%/*.c)))))
EXACT = $(patsubst %.c,$(BUILD)/%,$(wildcard $(ROOMS:%=tests/%/double/*.c)))
TOOLS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/tools/*.c))
FUZZERS = $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_HELPERS = tests/helpers/tiny.c $(filter-out tests/fuzz/fuzz_%,$(wildcard tests/fuzz/*.c))
in_float = $(patsubst %.c,$(BUILD)/float/%.o,$(1))
in_double = $(patsubst %.c,$(BUILD)/double/%.o,$(1))

OBJECTS = $(call in_float,$(SOURCES) $(NAMES:%=programs/%.c) tiny.c)
OF := $(if $(filter-out all install,$(MAKECMDGOALS))$(wildcard $(OBJECTS)),,/$(words $(OBJECTS) $(NAMES) tiny))

all: $(PROGRAMS) $(TINY)
	@echo '  ready: $^'

$(PROGRAMS): $(BIN)/%: $(BUILD)/float/programs/%.o $(BUILD)/float/rooms.a
	$(LINK)
$(TINY): $(BUILD)/float/tiny.o $(BUILD)/float/rooms.a
	$(LINK)

# The functions of programs/library.h, for Python. Without OpenMP: a library must not start threads in
# a process of others, which may fork, or have an OpenMP of their own.
library:
	@$(MAKE) --no-print-directory $(JOBS) $(BIN)/libpulga.so OPENMP=0 BUILD=$(BUILD)/library \
		SANITIZE='-fPIC -fvisibility=hidden $(SANITIZE)'
$(BIN)/libpulga.so: $(call in_float,programs/library.c \
		$(filter base/% model/% text/% formats/%,$(SOURCES)))
	$(LINK) -shared $(if $(ON_MACOS),,-Wl,--exclude-libs,ALL)

# With MPI=1 train can be one of a team. The tests have such a train beside the plain one.
WITH_MPI = $(if $(filter 1,$(MPI)),$(BIN)/train) $(BUILD)/mpi/train $(BUILD)/mpi/try_team
$(WITH_MPI): $(call in_float,$(TEAM))
$(WITH_MPI): LDLIBS += $(shell $(MPICC) --showme:link)
$(call in_float,$(TEAM)): CPPFLAGS += $(shell $(MPICC) --showme:compile)
$(BUILD)/mpi/train: $(BUILD)/float/programs/train.o $(BUILD)/float/rooms.a
	$(LINK)
$(BUILD)/mpi/try_team: $(BUILD)/float/tests/tools/try_team.o $(BUILD)/float/rooms.a
	$(LINK)
$(BUILD)/double/train: $(BUILD)/double/programs/train.o $(BUILD)/double/rooms.a
	$(LINK)
$(TESTS) $(TOOLS): $(BUILD)/%: $(BUILD)/float/%.o $(call in_float,$(HELPERS)) $(BUILD)/float/rooms.a
	$(LINK) -lcmocka
$(EXACT): $(BUILD)/%: $(BUILD)/double/%.o $(call in_double,$(HELPERS)) $(BUILD)/double/rooms.a
	$(LINK) -lcmocka

# tests/fuzz/harness.c replaces these functions.
$(FUZZERS): $(BUILD)/%: $(BUILD)/float/tests/fuzz/%.o $(call in_float,$(FUZZ_HELPERS)) \
		$(BUILD)/float/rooms.a
	$(LINK) -fsanitize=fuzzer $(addprefix -Xlinker --wrap=,exit fopen fdopen fopencookie \
		fclose XXH3_64bits_withSeed XXH3_64bits_digest)

$(BUILD)/tests/faults: tests/torture/faults.c $(BUILD)/flags
	$(COUNT) $(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $<

$(BUILD)/float/rooms.a: $(call in_float,$(SOURCES) $(GNU))
	$(PACK)
$(BUILD)/double/rooms.a: $(call in_double,$(SOURCES) $(GNU))
	$(PACK)

$(BUILD)/float/%.o: %.c $(BUILD)/flags | packages
	$(COMPILE)
$(BUILD)/double/%.o: CPPFLAGS += -DREAL=double
$(BUILD)/double/%.o: %.c $(BUILD)/flags | packages
	$(COMPILE)

# The page that attend fills, as C strings, one per line, so that attend needs no file: page.html with
# the style and the scripts, in this order, in place of two of its lines.
PAGE_ROOM = programs/attend/page
PAGE_BASE = $(patsubst %,$(PAGE_ROOM)/base/%.js,words bytes state elements pen curve controls)
PAGE_SCRIPTS = $(PAGE_BASE) $(patsubst %,$(PAGE_ROOM)/%.js,$(addprefix model/,tokens gpt pattern kept model draw counts mixture alike) \
	data colours reading \
	$(addprefix views/,text table arcs without heads large next eight layers training positions vocabulary checkpoints follow figures) app)
$(BUILD)/page.inc: $(PAGE_ROOM)/page.html $(PAGE_ROOM)/style.css $(PAGE_SCRIPTS) Makefile
	@mkdir -p $(@D)
	@cat $(PAGE_SCRIPTS) > $(BUILD)/page.js
	@sed -e '/^<!-- style.css -->/{r $(PAGE_ROOM)/style.css' -e 'd}' \
		-e '/^<!-- the script -->/{r $(BUILD)/page.js' -e 'd}' \
		$(PAGE_ROOM)/page.html | sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' > $@
WITH_PAGE = $(call in_float,$(PAGE_ROOM)/page.c) $(call in_double,$(PAGE_ROOM)/page.c)
$(WITH_PAGE): $(BUILD)/page.inc
$(WITH_PAGE): CPPFLAGS += -I$(BUILD)

# The catalogue of Spanish texts as C strings, so that the programs need no file.
$(BUILD)/es.inc: base/po/es.po base/po/to_c.awk
	@mkdir -p $(@D)
	@awk -f base/po/to_c.awk $< > $@
WITH_CATALOGUE = $(call in_float,base/language.c) $(call in_double,base/language.c)
$(WITH_CATALOGUE): $(BUILD)/es.inc
$(WITH_CATALOGUE): CPPFLAGS += -I$(BUILD)

# If the flags differ from last time, everything is built again.
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS) MPI=$(MPI)' | cmp -s - $@ || echo '$(CC) $(CFLAGS) MPI=$(MPI)' > $@

# Plain make installs nothing: it prints what is missing and stops.
packages:
	@$(SETUP)
setup:
	@$(SETUP) test

# As many tests run at once as there are processors; a failure keeps no other test from running. What
# a test prints is in build/output, and shown if it fails or leaves something out.
RUN_EACH = LC_ALL=C.UTF-8 xargs -P $$(nproc) -I TEST sh -c 'output=$(BUILD)/output/TEST && \
	mkdir -p $${output%/*} && if $(1) TEST >$$output 2>&1; then echo "  passed TEST"; \
	grep "^ok .* \# skip" $$output || true; else grep -v "^ok " $$output; \
	{ echo "  FAILED TEST"; grep "^not ok" $$output; } | tee -a $(BUILD)/failed; exit 1; fi'
RUN_UNITS = printf '%s\n' $(sort $(TESTS) $(EXACT)) | $(call RUN_EACH,$(RUN))
NAME_FAILED = ! test -s $(BUILD)/failed || { echo 'These tests failed:' && cat $(BUILD)/failed && false; }
build-tests:
	@$(SETUP) test
	@$(MAKE) --no-print-directory $(JOBS) all $(TESTS) $(EXACT) $(TOOLS) $(BUILD)/tests/faults \
		$(if $(MPICC),$(BUILD)/mpi/train $(BUILD)/mpi/try_team)
	@rm -f $(BUILD)/failed
units: build-tests
	@$(RUN_UNITS); $(NAME_FAILED)

# The .bats files in tests/programs test the programs as a user calls them.
test: build-tests
	@$(RUN_UNITS); export BIN='$(abspath $(BIN))' BUILD='$(abspath $(BUILD))'; \
		printf '%s\n' $(BATS) | $(call RUN_EACH,bats --timing $(PICK)); $(NAME_FAILED)

# sanitize, fuzz, torture, tsan, valgrind, analyze, aarch64, same
include tests/watch.mk

# lab: build/lab/pulga.html, a page that trains
include programs/lab/lab.mk

# windows: build/windows/*.exe
include base/system/windows/windows.mk

# macos: build/macos/arm64/train and so on
include base/system/macos.mk

parity:
	@$(SETUP) parity
	@$(MAKE) --no-print-directory $(JOBS) all $(TOOLS) $(BUILD)/double/train
	@PYTHON=$(PYTHON) BIN=$(BIN) BUILD=$(BUILD) scripts/parity.sh

# Only here: the peak is that of multiply-adds that are one instruction.
$(BUILD)/float/tests/bench/peak.o: override CFLAGS += -ffp-contract=fast
$(BUILD)/bench/bench: $(call in_float,$(wildcard tests/bench/*.c)) $(BUILD)/float/rooms.a
	$(LINK)
bench bench-long: $(BUILD)/bench/bench all
	@PYTHON=$(PYTHON) TEXT='$(TEXT)' PEER='$(PEER)' $< $(BUILD)/bench.json $(BUILD)/bench $(BIN) \
		$(filter long,$(subst -, ,$@))

busy: all
	@BIN='$(abspath $(BIN))' tests/bench/busy.sh

race: all
	@test -n "$(TEXT)" || { echo "name a text of a megabyte: make race TEXT=FILE"; exit 1; }
	@$(PYTHON) scripts/race.py $(BIN)/train $(TEXT) $(or $(SECONDS),600) $(RUNS)

browser:
	@$(SETUP) browser
	@$(MAKE) --no-print-directory $(JOBS) all
	@$(MAKE) --no-print-directory lab
	@BIN='$(abspath $(BIN))' BUILD='$(abspath $(BUILD))' $(PYTHON) tests/browser $(LOOKS)

PAGE = runs/demo/attention.html
SPANISH = $(filter es%,$(firstword $(LC_ALL) $(LC_MESSAGES) $(LANG)))
ifeq ($(SPANISH),)
ANSWERS = The page shows everything at once, and answers: type another sentence into it. Open it:
NOW = Now try:
else
ANSWERS = La página lo muestra todo y contesta: escribe en ella otra oración. Para abrirla:
NOW = Ahora prueba:
endif
typed = @echo && echo '$$ $(strip $(1))' && $(RUN) $(1)
demo:
	@$(SETUP) demo
	@$(MAKE) --no-print-directory $(JOBS) all
	@rm -rf runs/demo
	$(call typed,$(BIN)/train data/perro.txt --out runs/demo $(DEMO))
	$(call typed,$(BIN)/sample runs/demo el)
	$(call typed,$(BIN)/attend runs/demo un muchacho jugaba con la cuerda --layer 2 --head 3)
	$(call typed,$(BIN)/attend runs/demo el perro come -o $(PAGE)) >/dev/null
	@printf '%s\n' '' '$(ANSWERS)' '  file://$(abspath $(PAGE))' '  xdg-open $(PAGE)' '' '$(NOW)' \
		'  $(BIN)/sample runs/demo' '  $(BIN)/train $(if $(SPANISH),TU-TEXTO,YOUR-TEXT).txt'

install: all
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LAB='$(LAB)/pulga.html' scripts/install.sh $(PROGRAMS)
uninstall:
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LAB='$(LAB)/pulga.html' scripts/install.sh -u $(PROGRAMS)

# dpkg-buildpackage writes beside the directory that it builds, so it gets a copy of the sources, and
# of the page of the lab if that is built; cleaning first would remove it.
deb:
	@$(SETUP) deb
	rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/pulga
	git ls-files -z | xargs -0 cp --parents -t $(BUILD)/deb/pulga
	mv $(BUILD)/deb/pulga/scripts/debian $(BUILD)/deb/pulga/
	[ ! -e $(LAB)/pulga.html ] || \
		install -D -m 644 $(LAB)/pulga.html $(BUILD)/deb/pulga/build/lab/pulga.html
	cd $(BUILD)/deb/pulga && MAKEFLAGS= dpkg-buildpackage --build=binary --no-sign --no-pre-clean
	lintian --allow-root --fail-on error,warning $(BUILD)/deb/*.deb

# PYTHON has numpy, matplotlib, nbclient and ipykernel. RENEW=1 keeps what they show now.
notebooks: all
	@$(MAKE) --no-print-directory library
	@PYTHONPATH='$(abspath python)' PULGA_BIN='$(abspath $(BIN))' \
		$(PYTHON) scripts/notebooks.py $(if $(RENEW),,--check)

# wheel, wheel-test: import pulga for Python
include python/wheel.mk

clean:
	rm -rf $(BUILD) $(PROGRAMS) $(TINY) $(BIN)/libpulga.so

format:
	@$(SETUP) format
	clang-format -i $(FORMATTED)
FORMATTED = $(PORTABLE) $(TEAM) $(WASI) $(GNU) $(wildcard *.c programs/*.[ch] $(ROOMS:%=%/*.h) base/system/*.c base/system/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] tests/*/*/*/*.[ch])

help:
	@sed -n 's/^# make/make/p' Makefile

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all library packages setup always build-tests units test parity browser bench bench-long busy race demo install notebooks wheel wheel-programs \
	wheel-test uninstall deb clean format help
